// SPDX-License-Identifier: BSD-3-Clause
// Numbers in text, whatever the locale: fast and correctly rounded.
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

// Reads an optional sign and digits at p. Returns what follows, or NULL if
// there is no integer. A number that does not fit becomes +-INT64_MAX.
char *lcl_parse_int(char *p, int64_t *value);

// Reads a decimal number at p, exponent after e, E, d or D (which becomes e in
// the text). Returns what follows, or NULL if there is no number; "nan" and
// "inf" are none. Overflow gives an infinity. Call it in the C locale.
char *lcl_parse_double(char *p, double *value);

// Switches the calling thread to the C locale and back.
struct lcl_c_locale {
    locale_t c;
    locale_t before;
};
bool lcl_c_locale_enter(struct lcl_c_locale *L); // false: memory ran out
void lcl_c_locale_leave(struct lcl_c_locale *L);
