// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the report that show the matrix and its subdomains.
#include "tools/clsolve/density.h"
#include "tools/clsolve/grid.h"
#include "tools/clsolve/html.h"
#include "tools/clsolve/html_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 460,
    SIDE = 370,       // of a picture of a matrix
    SLICE_MOST = 128, // cells along a side of a slice
    COLOURS = 6,
};

// ---------------------------------------------------------------- pattern

static void draw_density(FILE *out, const struct density *D, const char *title,
                         const char *rows, const char *cols)
{
    const struct svg_box frame = {44, 24, SIDE, SIDE};
    const struct svg_cells cells = {D->cells, D->cells, D->shade};
    svg_open(out, WIDTH, SIDE + 32, title);
    svg_text(out, "start", (struct svg_point){frame.x, 14}, cols);
    svg_text_up(out, "end", (struct svg_point){frame.x - 10, frame.y}, rows);
    svg_open_group(out, frame.x, frame.y, (double)SIDE / D->cells);
    svg_cells(out, "d", &cells);
    svg_close_group(out);
    svg_rect(out, "frame", &frame);
    svg_close(out);
}

// The matrix, or M of a Kronecker system by its blocks.
static struct lcl_csr pattern_of(const struct job *job)
{
    const struct lcl_bsr *M = &job->kron.M;
    return cli_is_kron(&job->cli) ? (struct lcl_csr){.rows = M->rows,
                                                     .cols = M->cols,
                                                     .nnz = M->nnz,
                                                     .row_ptr = M->row_ptr,
                                                     .col_ind = M->col_ind}
                                  : job->A;
}

enum lcl_status html_pattern(FILE *out, const struct job *job)
{
    const bool is_kron = cli_is_kron(&job->cli);
    const struct lcl_csr A = pattern_of(job);
    struct density D;
    const enum lcl_status st = density_count(&D, &A, NULL, 0);
    if (st < 0)
        return st;
    const double side = (double)A.rows / D.cells;
    html_open_figure(out);
    draw_density(out, &D, "Nonzeros of the matrix", "rows", "columns");
    html_close_figure(
        out,
        "Where the %s %s, on %d x %d cells of %.0f x %.0f. A cell that is not "
        "empty has %s to %s of them; shades are logarithmic.",
        html_count(A.nnz).text, is_kron ? "blocks of M are" : "nonzeros are",
        D.cells, D.cells, side, side, html_count(D.least).text,
        html_count(D.most).text);
    density_finish(&D);
    return LCL_OK;
}

// ---------------------------------------------------------------- couplings

static enum lcl_status draw_couplings(FILE *out, const struct job *job,
                                      const int32_t *part)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    struct density D;
    const enum lcl_status st =
        density_count(&D, &job->A, part, info->factors.parts);
    if (st < 0)
        return st;
    html_open_figure(out);
    draw_density(out, &D, "Couplings between subdomains",
                 "subdomain of the row", "subdomain of the column");
    html_close_figure(
        out,
        "Entries by the subdomains of row and column, %s subdomains on %d x %d "
        "cells. The diagonal is kept in the factors; the rest, %.1f %% of the "
        "couplings, is dropped. A cell that is not empty has %s to %s entries; "
        "shades are logarithmic.",
        html_count(info->factors.parts).text, D.cells, D.cells,
        100 * info->factors.dropped_share, html_count(D.least).text,
        html_count(D.most).text);
    density_finish(&D);
    return LCL_OK;
}

// ---------------------------------------------------------------- slices

// The cells of a plane through the middle of the grid: `across` and `down` are
// axes of the grid, as is the one through which the plane cuts at `cut`.
struct slice {
    int across, down, cut;
    int64_t at;
    int cols, rows;
    int32_t *part;
    uint8_t *colour;
};

static void slice_finish(struct slice *S)
{
    free(S->part);
    free(S->colour);
}

// The cells of the picture for `cells` of the grid, if the longer side has
// `most`.
static int fewer(int64_t cells, int64_t most)
{
    const int64_t scaled =
        most > SLICE_MOST ? cells * SLICE_MOST / most : cells;
    return scaled > 1 ? (int)scaled : 1;
}

// Neighbours mostly get different colours; borders separate those that do not.
static uint8_t colour_of(int32_t part)
{
    const uint32_t mixed = (uint32_t)part * 2654435761u;
    return (uint8_t)(1 + (mixed >> 16) % COLOURS);
}

static void fill_slice(struct slice *S, const struct grid *grid,
                       const int32_t *part)
{
    int64_t at[3];
    at[S->cut] = S->at;
    for (int y = 0; y < S->rows; ++y)
        for (int x = 0; x < S->cols; ++x) {
            const int k = y * S->cols + x;
            // the picture's first row is the last one of the grid
            at[S->down] = (S->rows - 1 - y) * grid->n[S->down] / S->rows;
            at[S->across] = x * grid->n[S->across] / S->cols;
            S->part[k] =
                part[(at[0] + grid->n[0] * (at[1] + grid->n[1] * at[2])) *
                     grid->rows];
            S->colour[k] = colour_of(S->part[k]);
        }
}

static enum lcl_status slice_init(struct slice *S, int cut,
                                  const struct grid *grid, const int32_t *part)
{
    *S = (struct slice){
        .across = cut == 0 ? 1 : 0,
        .down = cut == 2 ? 1 : 2,
        .cut = cut,
        .at = grid->n[cut] / 2,
    };
    const int64_t across = grid->n[S->across], down = grid->n[S->down];
    S->cols = fewer(across, across > down ? across : down);
    S->rows = fewer(down, across > down ? across : down);
    const size_t cells = (size_t)S->cols * (size_t)S->rows;
    S->part = malloc(cells * sizeof *S->part);
    S->colour = malloc(cells);
    if (!S->part || !S->colour) {
        slice_finish(S);
        return LCL_ENOMEM;
    }
    fill_slice(S, grid, part);
    return LCL_OK;
}

// At x, as wide as `side` or less; ends at `bottom`.
static void draw_slice(FILE *out, const struct slice *S, double x, double side,
                       double bottom)
{
    static const char axis[] = "xyz";
    const int most = S->cols > S->rows ? S->cols : S->rows;
    const double scale = side / most;
    const struct svg_cells cells = {S->rows, S->cols, S->colour};
    const double top = bottom - scale * S->rows;
    const struct svg_box frame = {x, top, scale * S->cols, scale * S->rows};
    char label[64];
    snprintf(label, sizeof label, "%c = %" PRId64, axis[S->cut], S->at + 1);
    svg_text(out, "start", (struct svg_point){x, top - 6}, label);
    svg_open_group(out, x, top, scale);
    svg_cells(out, "s", &cells);
    svg_borders(out, "border", S->rows, S->cols, S->part);
    svg_close_group(out);
    svg_rect(out, "frame", &frame);
    snprintf(label, sizeof label, "%c", axis[S->across]);
    svg_text(out, "end", (struct svg_point){x + frame.width, bottom + 14},
             label);
    snprintf(label, sizeof label, "%c", axis[S->down]);
    svg_text(out, "end", (struct svg_point){x - 4, top + 10}, label);
}

// The height of the highest slice, if its longer side is 1.
static double highest_slice(const struct grid *grid)
{
    const double x = (double)grid->n[0], y = (double)grid->n[1],
                 z = (double)grid->n[2];
    return fmin(1, fmax(y / x, fmax(z / x, z / y)));
}

static enum lcl_status draw_slices(FILE *out, const struct grid *grid,
                                   const int32_t *part)
{
    const int count = grid->n[2] > 1 ? 3 : 1; // one of a plane
    const double side = count == 3 ? 134 : 400;
    enum lcl_status st = LCL_OK;
    const double bottom = 18 + side * highest_slice(grid);
    svg_open(out, WIDTH, bottom + 20, "Subdomains on the grid");
    for (int k = 0; k < count && st == LCL_OK; ++k) {
        struct slice S;
        if ((st = slice_init(&S, 2 - k, grid, part)) < 0)
            break;
        draw_slice(out, &S, 14 + k * (side + 20), side, bottom);
        slice_finish(&S);
    }
    svg_close(out);
    return st;
}

enum lcl_status html_partition(FILE *out, const struct job *job,
                               const struct html_rows *rows)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    struct grid grid;
    const bool known = grid_find(&grid, &job->cli, job->A.rows);
    if (!known && info->factors.transversal) // its columns have no subdomain
        return LCL_OK;
    if (!known)
        return draw_couplings(out, job, rows->part);
    html_open_figure(out);
    const enum lcl_status st = draw_slices(out, &grid, rows->part);
    html_close_figure(
        out,
        "Subdomains %s the grid of %" PRId64 " x %" PRId64 " x %" PRId64
        " cells; lines and colours separate them. %s subdomain%s of %" PRId64
        " to %" PRId64
        " rows; the couplings between them, %.1f %% of all, are dropped.",
        grid.n[2] > 1 ? "in planes through the middle of" : "on", grid.n[0],
        grid.n[1], grid.n[2], html_count(info->factors.parts).text,
        info->factors.parts == 1 ? "" : "s", info->factors.part_rows_min,
        info->factors.part_rows_max, 100 * info->factors.dropped_share);
    return st;
}
