// SPDX-License-Identifier: BSD-3-Clause
// OpenCL programs that outlive the contexts of a test.
#include "tests/support/kept_programs.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PROGRAMS = 512 };

// Without allocations, which tests count.
static struct {
    cl_program program;
    uint64_t hash; // of the source or the binary
    bool built;
} kept[PROGRAMS];
static int count;
static bool started;
static cl_context kept_in;
static cl_device_id device_of;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void kept_programs_start(void)
{
    started = true;
}

cl_context kept_context(cl_device_id device, cl_int *code)
{
    pthread_mutex_lock(&lock);
    cl_context context = kept_in;
    if (!started || (kept_in && device != device_of)) {
        context = clCreateContext(NULL, 1, &device, NULL, NULL, code);
    } else if (kept_in) {
        *code = clRetainContext(kept_in);
    } else {
        device_of = device;
        context = kept_in = clCreateContext(NULL, 1, &device, NULL, NULL, code);
        if (kept_in)
            clRetainContext(kept_in);
    }
    pthread_mutex_unlock(&lock);
    return context;
}

// ------------------------------------------------------------------- programs

// FNV-1a of words
static uint64_t hash_of(const char *data, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325u, word;
    for (size_t i = 0; i < bytes; i += sizeof word) {
        word = 0;
        memcpy(&word, data + i,
               bytes - i < sizeof word ? bytes - i : sizeof word);
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 29;
    }
    return h;
}

// Returns the program with a reference for the caller, or NULL.
static cl_program find(cl_context context, uint64_t hash)
{
    for (int k = 0; context == kept_in && k < count; ++k)
        if (kept[k].hash == hash && clRetainProgram(kept[k].program) == 0)
            return kept[k].program;
    return NULL;
}

static void keep(cl_context context, uint64_t hash, cl_program program)
{
    if (program && context == kept_in && count < PROGRAMS &&
        clRetainProgram(program) == CL_SUCCESS) {
        kept[count].program = program;
        kept[count++].hash = hash;
    }
}

cl_program kept_source(cl_context context, const char *text, cl_int *code)
{
    const uint64_t hash = hash_of(text, strlen(text));
    pthread_mutex_lock(&lock);
    cl_program program = find(context, hash);
    *code = CL_SUCCESS;
    if (!program) {
        program = clCreateProgramWithSource(context, 1, &text, NULL, code);
        keep(context, hash, program);
    }
    pthread_mutex_unlock(&lock);
    return program;
}

cl_program kept_binary(cl_context context, cl_device_id device, size_t bytes,
                       const unsigned char *binary, cl_int *status,
                       cl_int *code)
{
    const uint64_t hash = hash_of((const char *)binary, bytes);
    pthread_mutex_lock(&lock);
    cl_program program = find(context, hash);
    *status = *code = CL_SUCCESS;
    if (!program) {
        program = clCreateProgramWithBinary(context, 1, &device, &bytes,
                                            &binary, status, code);
        keep(context, hash, program);
    }
    pthread_mutex_unlock(&lock);
    return program;
}

static bool *built_flag(cl_program program)
{
    for (int k = 0; k < count; ++k)
        if (kept[k].program == program)
            return &kept[k].built;
    return NULL;
}

cl_int kept_build(cl_program program, cl_device_id device, const char *options)
{
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    bool *built = built_flag(program);
    if (!built || !*built)
        code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (built)
        *built = code == CL_SUCCESS;
    pthread_mutex_unlock(&lock);
    return code;
}
