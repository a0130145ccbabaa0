// SPDX-License-Identifier: BSD-3-Clause
// Escapes text for terminals.
#include <levelcl/log.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------- UTF-8

// Decodes the sequence at `text` into *point. Returns its length in bytes; 0:
// no valid UTF-8.
static size_t decode(uint32_t *point, const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text, head = *at;
    const size_t length = head < 0x80             ? 1
                          : (head & 0xe0) == 0xc0 ? 2
                          : (head & 0xf0) == 0xe0 ? 3
                          : (head & 0xf8) == 0xf0 ? 4
                                                  : 0;
    *point = length > 1 ? head & (0x7fu >> length) : head;
    for (size_t i = 1; i < length; ++i) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (at[i] & 0x3fu);
    }
    const bool surrogate = *point >= 0xd800 && *point <= 0xdfff;
    return length > 0 && *point >= least[length] && !surrogate &&
                   *point <= 0x10ffff
               ? length
               : 0;
}

// Control characters of Unicode, and characters without width or that change
// the direction of text.
static bool is_hidden(uint32_t point)
{
    static const struct {
        uint32_t from, to;
    } hidden[] = {
        {0x80, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
        {0x180e, 0x180e}, {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff},   {0xfff9, 0xfffb},
        {0xfffe, 0xffff}, {0xe0000, 0xe007f},
    };
    size_t i = 0;
    while (i < sizeof hidden / sizeof *hidden && point > hidden[i].to)
        ++i;
    return i < sizeof hidden / sizeof *hidden && point >= hidden[i].from;
}

// ------------------------------------------------------------------- text

enum { UNIT = 16 };

// Writes the visible form of the character at `text`; returns its length in
// `text`.
static size_t show(char unit[UNIT], const char *text)
{
    uint32_t point;
    const size_t length = decode(&point, text);
    if (length == 0 || point < 0x20 || point == 0x7f) {
        snprintf(unit, UNIT, "\\x%02x", (unsigned)(unsigned char)*text);
        return 1;
    }
    if (is_hidden(point))
        snprintf(unit, UNIT, point > 0xffff ? "\\U%08x" : "\\u%04x",
                 (unsigned)point);
    else
        snprintf(unit, UNIT, "%.*s", (int)length, text);
    return length;
}

size_t lcl_printable(char *out, size_t size, const char *text)
{
    size_t total = 0, at = 0;
    size = out ? size : 0;
    bool fits = size > 0;
    while (text && *text) {
        char unit[UNIT];
        text += show(unit, text);
        const size_t length = strlen(unit);
        total += length;
        fits = fits && at + length < size;
        if (fits)
            memcpy(out + at, unit, length + 1);
        at += fits ? length : 0;
    }
    if (size > 0)
        out[at] = '\0';
    return total;
}
