// SPDX-License-Identifier: BSD-3-Clause
// Members of the JSON records of clsolve.
#include "tools/clsolve/json.h"

#include <levelcl/log.h>
#include <levelcl/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes of an escape by lcl_printable(), and of the longest four of them.
enum { ESCAPE = 4, SHOWN = 24 };

cJSON *json_new(const char *command)
{
    cJSON *record = cJSON_CreateObject();
    json_put_count(record, "schema", JSON_SCHEMA);
    json_put_text(record, "version", lcl_version());
    json_put_text(record, "command", command);
    return record;
}

// The character at `text` as lcl_printable() shows it; returns its bytes in
// `text`. Of bytes that are not UTF-8 it is the first one.
static size_t next_character(char shown[SHOWN], const char *text)
{
    char one[5] = "";
    const unsigned char head = (unsigned char)*text;
    const size_t length = head >= 0xf0   ? 4
                          : head >= 0xe0 ? 3
                          : head >= 0xc0 ? 2
                                         : 1;
    snprintf(one, length + 1, "%s", text);
    lcl_printable(shown, SHOWN, one);
    if (*shown != '\\' || shown[1] != 'x' || head < 0x80)
        return strlen(one);
    shown[ESCAPE] = '\0'; // the bytes after the first
    return 1;
}

static bool is_utf8(const char *text)
{
    char shown[SHOWN];
    bool valid = true;
    while (*text && valid) {
        const bool ascii = (unsigned char)*text < 0x80;
        text += next_character(shown, text);
        valid = ascii || strncmp(shown, "\\x", 2) != 0;
    }
    return valid;
}

static bool put_shown(cJSON *object, const char *key, const char *text)
{
    const size_t length = lcl_printable(NULL, 0, text);
    char *shown = malloc(length + 1);
    if (shown) {
        lcl_printable(shown, length + 1, text);
        cJSON_AddStringToObject(object, key, shown);
    }
    free(shown);
    return shown != NULL;
}

void json_put_text(cJSON *object, const char *key, const char *text)
{
    if (is_utf8(text))
        cJSON_AddStringToObject(object, key, text);
    else
        put_shown(object, key, text);
}

void json_put_name(cJSON *object, const char *key, const char *name)
{
    char member[32];
    json_put_text(object, key, name);
    if (is_utf8(name))
        return;
    char *hex = malloc(2 * strlen(name) + 1);
    for (size_t i = 0; hex && name[i]; ++i)
        sprintf(hex + 2 * i, "%02x", (unsigned)(unsigned char)name[i]);
    snprintf(member, sizeof member, "%s_hex", key);
    if (hex)
        cJSON_AddStringToObject(object, member, hex);
    free(hex);
}

void json_put_number(cJSON *object, const char *key, double number)
{
    cJSON_AddNumberToObject(object, key, number);
}

void json_put_count(cJSON *object, const char *key, int64_t count)
{
    cJSON_AddNumberToObject(object, key, (double)count);
}

void json_put_bool(cJSON *object, const char *key, bool value)
{
    cJSON_AddBoolToObject(object, key, value);
}

bool json_put_printed(cJSON *object, const char *key, const struct cli *cli,
                      void (*write)(FILE *out, const struct cli *cli))
{
    char *text = cli_printed(cli, write);
    if (text)
        json_put_text(object, key, text);
    free(text);
    return text != NULL;
}

// The escape of a character that a terminal would not show.
static void print_escape(const char *shown)
{
    const unsigned long point = strtoul(shown + 2, NULL, 16);
    if (point > 0xffff)
        printf("\\u%04lx\\u%04lx", 0xd7c0 + (point >> 10),
               0xdc00 + (point & 0x3ff));
    else
        printf("\\u%04lx", point);
}

// As text, which is UTF-8 and has characters beyond ASCII in strings alone.
static void print_escaped(const char *text)
{
    while (*text) {
        char shown[SHOWN];
        const size_t length = next_character(shown, text);
        if (strncmp(shown, text, length) == 0)
            printf("%.*s", (int)length, text);
        else
            print_escape(shown);
        text += length;
    }
    putchar('\n');
}

// Prints and frees the record.
bool json_print(cJSON *record)
{
    char *text = cJSON_PrintUnformatted(record);
    cJSON_Delete(record);
    if (!text)
        return false;
    print_escaped(text);
    cJSON_free(text);
    return !ferror(stdout);
}
