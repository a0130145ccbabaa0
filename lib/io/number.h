// SPDX-License-Identifier: BSD-3-Clause
// Parses numbers in any locale, fast and correctly rounded.
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

// Whether `c` may follow a number: a blank or the end of the line.
static inline bool lcl_is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\0';
}

static inline char *lcl_skip_blanks(char *p)
{
    while (*p == ' ' || *p == '\t')
        ++p;
    return p;
}

// Reads an optional sign and digits at p. Returns the position after them, or
// NULL if there is no integer. A number that does not fit becomes +-INT64_MAX.
char *lcl_parse_int(char *p, int64_t *value);

// Reads a decimal number at p; the exponent follows e, E, d or D (D is replaced
// by e in the text). Returns the position after it, or NULL if there is no
// number; "nan" and "inf" are not numbers. Overflow gives an infinity. Call it
// in the C locale.
char *lcl_parse_double(char *p, double *value);

// Switches the calling thread to the C locale and back.
struct lcl_c_locale {
    locale_t c;
    locale_t before;
};
bool lcl_c_locale_enter(struct lcl_c_locale *L); // false: memory ran out
void lcl_c_locale_leave(struct lcl_c_locale *L);
