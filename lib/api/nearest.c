// SPDX-License-Identifier: BSD-3-Clause
// Finds the valid name nearest to a mistyped one.
#include <levelcl/options.h>

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

// A swap of neighbours is the most common typo and costs half of any other
// edit: "idlu0" is nearer to "ildu0" than to "ilu0".
enum { LONGEST = 48, SWAP = 1, EDIT = 2 };

enum { SHORTEST = 3 }; // beginning of a word that says what is meant

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

// Minimum cost of the edits that turn a into b (optimal string alignment).
// row[i % 3] holds row i of the table, for the first i letters of a. Both words
// have at most LONGEST letters.
static int distance(const char *a, const char *b)
{
    const int m = (int)strlen(a);
    const int n = (int)strlen(b);
    int row[3][LONGEST + 1];
    for (int j = 0; j <= n; ++j)
        row[0][j] = EDIT * j;
    for (int i = 1; i <= m; ++i) {
        const int *before = row[(i + 1) % 3];
        const int *above = row[(i + 2) % 3];
        int *here = row[i % 3];
        here[0] = EDIT * i;
        for (int j = 1; j <= n; ++j) {
            const int change = same(a[i - 1], b[j - 1]) ? 0 : EDIT;
            here[j] =
                min(above[j - 1] + change, EDIT + min(above[j], here[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
                same(a[i - 2], b[j - 1]))
                here[j] = min(here[j], before[j - 2] + SWAP);
        }
    }
    return row[m % 3][n];
}

// The first name that begins with the word, of which the end is missing.
static const char *find_beginning(const char *word, size_t length,
                                  const char *const *names, int count)
{
    for (int i = 0; i < count && length >= SHORTEST; ++i)
        if (names[i] && strncasecmp(word, names[i], length) == 0)
            return names[i];
    return NULL;
}

const char *lcl_nearest(const char *word, const char *const *names, int count)
{
    const size_t length = word && names ? strlen(word) : LONGEST + 1;
    if (length > LONGEST)
        return NULL;
    const char *nearest = find_beginning(word, length, names, count);
    if (nearest)
        return nearest;
    int best = EDIT * (1 + (int)length / 3) + 1;
    for (int i = 0; i < count; ++i) {
        if (!names[i] || strlen(names[i]) > LONGEST)
            continue;
        const int cost = distance(word, names[i]);
        if (cost < best) {
            best = cost;
            nearest = names[i];
        }
    }
    return nearest;
}
