// SPDX-License-Identifier: BSD-3-Clause
// Pieces of an HTML page.
#include "tools/clsolve/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

// 4 K is more than a path and a sentence.
enum { TEXT_BYTES = 8192 };

// ---------------------------------------------------------------- style

// The colours of curves and subdomains are those of Okabe and Ito, which people
// with any kind of colour vision can tell apart; shades of density differ in
// lightness.
static const char style[] =
    ":root{--paper:#fff;--ink:#1b1f24;--pale:#5d6670;--rule:#d5dae0;"
    "--field:#f5f7f9;--dense:#0b3c6f;color-scheme:light dark}\n"
    "@media (prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e4e7ea;"
    "--pale:#9aa4ae;--rule:#353b42;--field:#1c2024;--dense:#a9d2ff}}\n"
    "@media print{:root{--paper:#fff;--ink:#000;--pale:#444;--rule:#bbb;"
    "--field:#fff;--dense:#0b3c6f}html{font-size:11px}.wide{overflow:visible}"
    "figure,tr,pre{break-inside:avoid}h2{break-after:avoid}"
    "*{print-color-adjust:exact}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:66rem;padding:1.2rem 1rem 3rem;"
    "background:var(--paper);color:var(--ink);"
    "font:.94rem/1.45 system-ui,-apple-system,'Segoe UI',sans-serif}\n"
    "h1{font-size:1.25rem;margin:0 0 .4rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1rem;margin:2rem 0 .5rem;padding-top:.5rem;"
    "border-top:1px solid var(--rule)}\n"
    "p{margin:.4rem 0;max-width:48rem;overflow-wrap:anywhere}\n"
    ".lead{font-size:1.1rem}.good{border-left:4px solid #009e73;"
    "padding-left:.7rem}.bad{border-left:4px solid #d55e00;"
    "padding-left:.7rem}.pale,figcaption{color:var(--pale)}\n"
    "pre{background:var(--field);border:1px solid var(--rule);"
    "padding:.5rem .7rem;margin:.4rem 0;white-space:pre-wrap;"
    "font-size:.85rem}pre span{display:inline-block;max-width:100%;"
    "overflow-wrap:anywhere}\n"
    ".figures{display:grid;gap:1rem 2rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr))}\n"
    ".columns{columns:22rem 2;column-gap:2rem}"
    ".columns figure{break-inside:avoid;padding-bottom:1rem}\n"
    "figure{margin:0;max-width:34rem}figcaption{font-size:.85rem;"
    "margin-top:.2rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;"
    "font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;vertical-align:top;padding:.15rem .9rem .15rem 0;"
    "border-bottom:1px solid var(--rule)}"
    "td:first-child{white-space:nowrap}"
    ".facts{width:100%}.facts td{overflow-wrap:anywhere}\n"
    "th{font-weight:600}tbody th{font-weight:400;color:var(--pale);"
    "white-space:nowrap}.n{text-align:right;white-space:nowrap}\n"
    "svg{display:block;width:100%;height:auto}\n"
    "text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;"
    "fill:var(--ink)}.mid{text-anchor:middle}.end{text-anchor:end}\n"
    ".axis{stroke:var(--pale)}.grid{stroke:var(--rule)}"
    ".frame{fill:none;stroke:var(--pale)}"
    ".limit{stroke:var(--ink);stroke-dasharray:5 4}\n"
    ".bar{fill:#0072b2}.mark{fill:none;stroke:var(--ink);stroke-width:1.5}"
    ".border{fill:none;stroke:var(--ink);stroke-width:.8;"
    "vector-effect:non-scaling-stroke}\n"
    "[class^=k]{fill:none;stroke-width:1.8;stroke-linejoin:round}"
    ".k1{stroke:#0072b2}.k2{stroke:#d55e00;stroke-dasharray:7 3}"
    ".k3{stroke:#009e73;stroke-dasharray:2 2}"
    ".k4{stroke:#cc79a7}.k5{stroke:#e69f00;stroke-dasharray:7 3}"
    ".k6{stroke:#56b4e9;stroke-dasharray:2 2}\n"
    "[class^=s],[class^=d]{shape-rendering:crispEdges}"
    ".s1{fill:#0072b2}.s2{fill:#e69f00}.s3{fill:#009e73}.s4{fill:#cc79a7}"
    ".s5{fill:#56b4e9}.s6{fill:#f0e442}\n"
    "[class^=d]{fill:var(--dense)}.d1{opacity:.22}.d2{opacity:.36}"
    ".d3{opacity:.5}.d4{opacity:.66}.d5{opacity:.82}\n";

// ---------------------------------------------------------------- text

static void put(FILE *out, const char *format, va_list args)
{
    char text[TEXT_BYTES];
    vsnprintf(text, sizeof text, format, args);
    svg_escape(out, text);
}

void html_text(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(out, format, args);
    va_end(args);
}

void html_paragraph(FILE *out, const char *class, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(out, *class ? "<p class=\"%s\">" : "<p>", class);
    put(out, format, args);
    fputs("</p>\n", out);
    va_end(args);
}

// Words stay whole where there is room: browsers break them at hyphens.
void html_command(FILE *out, const char *text)
{
    fputs("<pre>", out);
    while (*text) {
        const size_t length = strcspn(text, " ");
        fputs("<span>", out);
        svg_escape_part(out, text, length);
        fputs(text[length] ? "</span> " : "</span>", out);
        text += length + (text[length] == ' ');
    }
    fputs("</pre>\n", out);
}

// NaN and Inf become null, as in JSON.
void html_value(FILE *out, const char *id, double value, const char *format,
                ...)
{
    va_list args;
    va_start(args, format);
    if (isfinite(value))
        fprintf(out, "<data id=\"%s\" value=\"%.17g\">", id, value);
    else
        fprintf(out, "<data id=\"%s\" value=\"null\">", id);
    put(out, format, args);
    fputs("</data>", out);
    va_end(args);
}

struct html_count html_count(int64_t count)
{
    char digits[32];
    struct html_count result;
    char *to = result.text;
    const int length = snprintf(digits, sizeof digits, "%" PRId64, count);
    for (int i = 0; i < length; ++i) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return result;
}

// ---------------------------------------------------------------- page

void html_open(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
          "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\"/>\n<title>",
          out);
    svg_escape(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    svg_escape(out, title);
    fputs("</h1>\n", out);
}

void html_close(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

void html_open_section(FILE *out, const char *title)
{
    fputs("<section>\n<h2>", out);
    svg_escape(out, title);
    fputs("</h2>\n", out);
}

void html_close_section(FILE *out)
{
    fputs("</section>\n", out);
}

void html_open_figures(FILE *out)
{
    fputs("<div class=\"figures\">\n", out);
}

void html_open_columns(FILE *out)
{
    fputs("<div class=\"columns\">\n", out);
}

void html_close_figures(FILE *out)
{
    fputs("</div>\n", out);
}

void html_open_figure(FILE *out)
{
    fputs("<figure>\n", out);
}

void html_close_figure(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("<figcaption>", out);
    put(out, format, args);
    fputs("</figcaption>\n</figure>\n", out);
    va_end(args);
}

// ---------------------------------------------------------------- tables

static void put_head(FILE *out, const char *head)
{
    fputs("<thead><tr>", out);
    while (*head) {
        const bool is_number = *head == '#';
        head += is_number;
        const int length = (int)strcspn(head, "|");
        fprintf(out, is_number ? "<th class=\"n\">%.*s</th>" : "<th>%.*s</th>",
                length, head);
        head += length + (head[length] == '|');
    }
    fputs("</tr></thead>\n", out);
}

void html_open_table(FILE *out, const char *head)
{
    fprintf(out, "<div class=\"wide\"><table%s>\n",
            *head ? "" : " class=\"facts\"");
    if (*head)
        put_head(out, head);
    fputs("<tbody>\n", out);
}

void html_close_table(FILE *out)
{
    fputs("</tbody>\n</table></div>\n", out);
}

void html_open_row(FILE *out)
{
    fputs("<tr>", out);
}

void html_close_row(FILE *out)
{
    fputs("</tr>\n", out);
}

void html_cell(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("<td>", out);
    put(out, format, args);
    fputs("</td>", out);
    va_end(args);
}

void html_number_cell(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("<td class=\"n\">", out);
    put(out, format, args);
    fputs("</td>", out);
    va_end(args);
}

void html_open_fact(FILE *out, const char *name)
{
    fputs("<tr><th scope=\"row\">", out);
    svg_escape(out, name);
    fputs("</th><td>", out);
}

void html_close_fact(FILE *out)
{
    fputs("</td></tr>\n", out);
}

void html_fact(FILE *out, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    html_open_fact(out, name);
    put(out, format, args);
    html_close_fact(out);
    va_end(args);
}
