// SPDX-License-Identifier: BSD-3-Clause
// What the terminal allows.
#define _DEFAULT_SOURCE // struct winsize

#include "tools/clsolve/terminal.h"

#include <levelcl/log.h>

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80 };

struct terminal_text terminal_text(const char *text)
{
    struct terminal_text shown;
    lcl_printable(shown.text, sizeof shown.text, text);
    return shown;
}

int terminal_width(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                : USUAL_WIDTH;
}

// mpirun gives its processes a terminal as standard output, whatever its own
// is, but not as standard error output.
static bool has_colours(FILE *out)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && *term && strcmp(term, "dumb") != 0 &&
           isatty(fileno(out)) && isatty(STDERR_FILENO);
}

const char *terminal_colour(FILE *out, enum colour colour)
{
    static const char *const code[] = {[COLOUR_NONE] = "\033[0m",
                                       [COLOUR_GOOD] = "\033[32m",
                                       [COLOUR_BAD] = "\033[31m",
                                       [COLOUR_NOTE] = "\033[1m"};
    return has_colours(out) ? code[colour] : "";
}

void live_line_begin(struct live_line *line, bool wanted)
{
    *line = (struct live_line){.live = wanted && isatty(STDERR_FILENO)};
}

// A character in the last column would start a new line on some terminals.
void live_line_show(struct live_line *line, const char *text)
{
    if (!line->live)
        return;
    fprintf(stderr, "\r%.*s\033[K", terminal_width(STDERR_FILENO) - 1, text);
    fflush(stderr);
    line->shown = true;
}

void live_line_clear(struct live_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
