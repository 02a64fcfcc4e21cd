/*
 * term.h - how things look: colour, width, aligned columns, wrapped text.
 *
 *     struct table t = { .arena = &a, .columns = columns, .column_count = ARRAY_LEN(columns) };
 *     table_cell(&t, STYLE_BOLD, "%s", h->name);
 *     …
 *     table_print(&t, &cli->out);
 *
 * Colour is used on a terminal only, and never where NO_COLOR is set. All text that comes from
 * outside passes term_clean() on its way, so that no hook can drive the reader's terminal.
 */
#pragma once

#include "base/arena.h"

#include <stdint.h>

struct term {
    bool tty, colour;
    bool dumb;      /* a terminal that cannot go back in a line */
    unsigned width; /* in columns; 0: no limit, lines are left whole */
};

enum style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_RED,
    STYLE_GREEN,
    STYLE_YELLOW,
    STYLE_BLUE,
};

/* What a descriptor leads to. COLUMNS counts where it is no terminal. */
struct term term_of(int fd);
struct term term_stdout(void);

/* What switches a style on; "\033[0m" switches it off. */
const char *term_style(enum style style);

/* What printf() would print, in the arena. */
char *term_vformat(struct arena *a, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);

/* Print to standard output in a style. */
void term_put(const struct term *t, enum style style, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Print paragraphs broken at `width`, each line after the first `indent` columns in. */
void term_wrap(const struct term *t, enum style style, unsigned indent, unsigned width,
               const char *text);

/* A copy on one line: control characters, line ends among them, become spaces. */
char *term_clean(struct arena *a, const char *text);

/* Columns a text takes: one per code point. */
unsigned term_columns(const char *text);

/* A copy of at most `columns`, ending in "…" where it was cut. */
char *term_cut(struct arena *a, const char *text, unsigned columns);

/* 940 "0.9 µs", 12345 "12 µs", 12345678 "12.3 ms". */
char *term_duration(struct arena *a, uint64_t ns);

/* 940 "940 B", 12345 "12.1 KB". */
char *term_size(struct arena *a, uint64_t bytes);

/* Tables --------------------------------------------------------------------------------------- */

struct column {
    const char *title;
    bool right;
    unsigned least; /* it is never narrower */
};

struct cell {
    const char *text;
    enum style style;
};

/*
 * Cells are added row by row. The last column is broken where the terminal ends, or cut there, or,
 * where it does not fit, put on a line of its own.
 */
struct table {
    struct arena *arena;
    const struct column *columns;
    size_t column_count;
    unsigned indent;
    bool no_titles;
    bool cut;
    bool below;
    struct cell *cells;
    const char **notes; /* one per row; NULL: none */
    size_t count, size;
};

void table_cell(struct table *t, enum style style, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A dim line under the row that was just completed. */
void table_note(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

void table_print(const struct table *t, const struct term *out);
