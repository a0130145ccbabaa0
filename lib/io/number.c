// SPDX-License-Identifier: BSD-3-Clause
// Parses numbers in any locale, fast and correctly rounded.
#include "lib/io/number.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

// Integers up to this one are exact in a double.
#define EXACT_INTEGER (UINT64_C(1) << 53)
// Below this, one more digit fits.
#define DIGITS_LIMIT   UINT64_C(1000000000000000000)
#define EXPONENT_LIMIT 100000

// digits * 10^exponent; `cut`: some digits did not fit.
struct decimal {
    uint64_t digits;
    int exponent;
    bool cut;
};

static const double power_of_10[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};
enum { EXACT_POWER = sizeof power_of_10 / sizeof *power_of_10 - 1 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

char *lcl_parse_int(char *p, int64_t *value)
{
    const int64_t limit = (INT64_MAX - 9) / 10;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        ++p;
    if (!is_digit(*p))
        return NULL;
    int64_t n = 0;
    for (; is_digit(*p); ++p)
        n = n > limit ? INT64_MAX : 10 * n + (*p - '0');
    *value = negative ? -n : n;
    return p;
}

static char *scan_digits(char *p, struct decimal *d)
{
    for (; is_digit(*p); ++p) {
        if (d->digits >= DIGITS_LIMIT)
            d->cut = true;
        else
            d->digits = 10 * d->digits + (uint64_t)(*p - '0');
    }
    return p;
}

// "e" must be followed by digits.
static char *scan_exponent(char *p, struct decimal *d)
{
    if (*p == 'd' || *p == 'D')
        *p = 'e';
    if (*p != 'e' && *p != 'E')
        return p;
    int64_t exponent;
    char *end = lcl_parse_int(p + 1, &exponent);
    if (!end)
        return NULL;
    if (exponent > EXPONENT_LIMIT || exponent < -EXPONENT_LIMIT)
        d->cut = true;
    else
        d->exponent += (int)exponent;
    return end;
}

static char *scan_decimal(char *p, struct decimal *d)
{
    const char *first = p;
    p = scan_digits(p, d);
    ptrdiff_t count = p - first;
    if (*p == '.') {
        const char *fraction = ++p;
        p = scan_digits(p, d);
        count += p - fraction;
        d->exponent = -(int)(p - fraction);
    }
    return count > 0 ? scan_exponent(p, d) : NULL;
}

// If digits and power of ten are both exact, one operation rounds once.
static bool from_exact(struct decimal *d, double *value)
{
    for (; d->digits > EXACT_INTEGER && d->digits % 10 == 0; d->digits /= 10)
        ++d->exponent;
    if (FLT_EVAL_METHOD != 0 || d->cut || d->digits > EXACT_INTEGER ||
        d->exponent < -EXACT_POWER || d->exponent > EXACT_POWER)
        return false;
    *value = d->exponent < 0 ? (double)d->digits / power_of_10[-d->exponent]
                             : (double)d->digits * power_of_10[d->exponent];
    return true;
}

// The same for all digits: a quotient or product and its remainder are exact to
// 2^-105. False if this error may decide the rounding.
static bool from_pair(const struct decimal *d, double *value)
{
    if (FLT_EVAL_METHOD != 0 || d->cut || d->exponent < -EXACT_POWER ||
        d->exponent > EXACT_POWER)
        return false;
    const double digits = (double)d->digits;
    const double rest = (double)(int64_t)(d->digits - (uint64_t)digits);
    double high, low;
    if (d->exponent < 0) {
        const double power = power_of_10[-d->exponent];
        high = digits / power;
        low = (fma(-high, power, digits) + rest) / power;
    } else {
        const double power = power_of_10[d->exponent];
        high = digits * power;
        low = fma(digits, power, -high) + rest * power;
    }
    const double doubt = 0x1p-100 * high;
    *value = high + low;
    return high + (low - doubt) == high + (low + doubt);
}

char *lcl_parse_double(char *p, double *value)
{
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        ++p;
    struct decimal d = {0};
    char *end = scan_decimal(p, &d);
    if (!end)
        return NULL;
    if (!from_exact(&d, value) && !from_pair(&d, value))
        *value = strtod(p, NULL);
    if (negative)
        *value = -*value;
    return end;
}

bool lcl_c_locale_enter(struct lcl_c_locale *L)
{
    L->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!L->c)
        return false;
    L->before = uselocale(L->c);
    return true;
}

void lcl_c_locale_leave(struct lcl_c_locale *L)
{
    uselocale(L->before);
    freelocale(L->c);
}
