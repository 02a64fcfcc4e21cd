#include "cli/term.h"

#include "base/strbuf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>

#define GAP         2 /* between columns */
#define NOTE_INDENT 4
#define LEAST_ROOM  16 /* for the last column, however narrow the terminal */

static unsigned env_columns(void)
{
    const char *text = getenv("COLUMNS");
    unsigned long n = text ? strtoul(text, NULL, 10) : 0;

    return n > 0 && n < 10000 ? (unsigned)n : 0;
}

struct term term_of(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    struct term t = { .tty = isatty(fd) == 1 };
    struct winsize size;

    t.width = env_columns();
    if (!t.tty)
        return t;
    t.dumb = kind && strcmp(kind, "dumb") == 0;
    t.colour = !(no_color && no_color[0]) && !t.dumb;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        t.width = size.ws_col;
    if (t.width == 0)
        t.width = 80;
    return t;
}

struct term term_stdout(void)
{
    return term_of(STDOUT_FILENO);
}

const char *term_style(enum style style)
{
    switch (style) {
    case STYLE_PLAIN:
        return "";
    case STYLE_BOLD:
        return "\033[1m";
    case STYLE_DIM:
        return "\033[2m";
    case STYLE_RED:
        return "\033[31m";
    case STYLE_GREEN:
        return "\033[32m";
    case STYLE_YELLOW:
        return "\033[33m";
    case STYLE_BLUE:
        return "\033[36m";
    }
    return "";
}

static void put_text(const struct term *t, enum style style, struct str text)
{
    bool dressed = t->colour && style != STYLE_PLAIN && text.len > 0;

    if (dressed)
        fputs(term_style(style), stdout);
    fwrite(text.ptr, 1, text.len, stdout);
    if (dressed)
        fputs("\033[0m", stdout);
}

char *term_vformat(struct arena *a, const char *fmt, va_list ap)
{
    va_list again;
    char *text;
    int len;

    va_copy(again, ap);
    len = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (len < 0)
        return arena_strdup(a, "");
    text = arena_alloc(a, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, fmt, ap);
    return text;
}

void term_put(const struct term *t, enum style style, const char *fmt, ...)
{
    CLEANUP(arena) struct arena a = { 0 };
    va_list ap;

    va_start(ap, fmt);
    put_text(t, style, str_of(term_vformat(&a, fmt, ap)));
    va_end(ap);
}

static bool starts_code_point(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static unsigned count_columns(struct str s)
{
    unsigned n = 0;

    for (size_t i = 0; i < s.len; i++)
        n += starts_code_point(s.ptr[i]);
    return n;
}

unsigned term_columns(const char *text)
{
    return count_columns(str_of(text));
}

static void spaces(unsigned n)
{
    printf("%*s", (int)n, "");
}

static void wrap_line(const struct term *t, enum style style, unsigned indent, unsigned width,
                      struct str line)
{
    unsigned column = indent;
    struct str word;
    bool first = true;

    while (str_cut(&line, ' ', &word)) {
        unsigned len = count_columns(word);

        if (!first && width > 0 && column + 1 + len > width) {
            putchar('\n');
            spaces(indent);
            column = indent;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        put_text(t, style, word);
        column += len;
        first = false;
    }
    putchar('\n');
}

void term_wrap(const struct term *t, enum style style, unsigned indent, unsigned width,
               const char *text)
{
    struct str rest = str_of(text), line;
    bool first = true;

    while (str_cut(&rest, '\n', &line)) {
        if (!first && line.len > 0)
            spaces(indent);
        wrap_line(t, style, indent, width, line);
        first = false;
    }
}

/* U+0080 to U+009F are control characters too: 0xc2 and one more byte. */
static bool is_high_control(const char *p)
{
    return (unsigned char)p[0] == 0xc2 && (unsigned char)p[1] >= 0x80 && (unsigned char)p[1] < 0xa0;
}

static char *clean_in_place(char *text)
{
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = ' ';
        else if (is_high_control(p))
            p[0] = p[1] = ' ';
    return text;
}

char *term_clean(struct arena *a, const char *text)
{
    return clean_in_place(arena_strdup(a, text ? text : ""));
}

char *term_cut(struct arena *a, const char *text, unsigned columns)
{
    size_t end = 0;
    unsigned n = 0;

    if (term_columns(text) <= columns)
        return arena_strdup(a, text);
    if (columns == 0)
        return arena_strdup(a, "");
    for (; text[end]; end++)
        if (starts_code_point(text[end]) && n++ == columns - 1)
            break;
    return arena_printf(a, "%.*s…", (int)end, text);
}

char *term_duration(struct arena *a, uint64_t ns)
{
    double us = (double)ns / 1000;

    if (us < 10)
        return arena_printf(a, "%.1f µs", us);
    if (us < 10000)
        return arena_printf(a, "%.0f µs", us);
    if (us < 10000000)
        return arena_printf(a, "%.1f ms", us / 1000);
    return arena_printf(a, "%.1f s", us / 1000000);
}

char *term_size(struct arena *a, uint64_t bytes)
{
    static const char *const units[] = { "KB", "MB", "GB", "TB" };
    double n = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024)
        return arena_printf(a, "%u B", (unsigned)bytes);
    for (; n >= 1024 && unit + 1 < ARRAY_LEN(units); unit++)
        n /= 1024;
    return arena_printf(a, "%.1f %s", n, units[unit]);
}

/* Tables --------------------------------------------------------------------------------------- */

static void grow(struct table *t)
{
    size_t size = t->size ? t->size * 2 : t->column_count * 16;
    struct cell *cells = arena_array(t->arena, struct cell, size);
    const char **notes = arena_array(t->arena, const char *, size / t->column_count);

    if (t->count) {
        memcpy(cells, t->cells, t->count * sizeof(*cells));
        memcpy(notes, t->notes, t->count / t->column_count * sizeof(*notes));
    }
    t->cells = cells;
    t->notes = notes;
    t->size = size;
}

void table_cell(struct table *t, enum style style, const char *fmt, ...)
{
    va_list ap;

    if (t->count == t->size)
        grow(t);
    va_start(ap, fmt);
    t->cells[t->count++] = (struct cell){ clean_in_place(term_vformat(t->arena, fmt, ap)), style };
    va_end(ap);
}

void table_note(struct table *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    t->notes[t->count / t->column_count - 1] = clean_in_place(term_vformat(t->arena, fmt, ap));
    va_end(ap);
}

static const char *title(const struct column *c)
{
    return c->title ? c->title : "";
}

static unsigned column_width(const struct table *t, size_t column)
{
    unsigned width = t->columns[column].least;

    for (size_t i = column; i < t->count; i += t->column_count) {
        unsigned n = term_columns(t->cells[i].text);

        width = n > width ? n : width;
    }
    if (!t->no_titles && term_columns(title(&t->columns[column])) > width)
        return term_columns(title(&t->columns[column]));
    return width;
}

static bool is_below(const struct table *t, const struct term *out, unsigned column,
                     const char *text)
{
    return t->below && out->width && column + term_columns(text) > out->width;
}

static void print_below(const struct table *t, const struct term *out, const struct cell *cell)
{
    putchar('\n');
    spaces(t->indent + NOTE_INDENT);
    term_wrap(out, cell->style, t->indent + NOTE_INDENT, out->width, cell->text);
}

/* What is left of the line belongs to the last cell. */
static void print_last(const struct table *t, const struct term *out, unsigned column,
                       const struct cell *cell)
{
    CLEANUP(arena) struct arena a = { 0 };
    unsigned room = out->width > column ? out->width - column : 0;

    if (out->width == 0)
        term_wrap(out, cell->style, column, 0, cell->text);
    else if (is_below(t, out, column, cell->text))
        print_below(t, out, cell);
    else if (t->cut)
        term_wrap(out, cell->style, column, 0, term_cut(&a, cell->text, room));
    else
        term_wrap(out, cell->style, column, column + (room < LEAST_ROOM ? LEAST_ROOM : room),
                  cell->text);
}

static void print_row(const struct table *t, const struct term *out, const unsigned *widths,
                      const struct cell *cells)
{
    unsigned column = t->indent, owed; /* spaces are printed before text only */
    size_t last = t->column_count - 1;

    owed = column;
    for (size_t i = 0; i < t->column_count; i++) {
        const char *text = cells[i].text;
        unsigned len = term_columns(text), pad = widths[i] > len ? widths[i] - len : 0;

        if (text[0] && !(i == last && is_below(t, out, column, text))) {
            spaces(owed + (t->columns[i].right ? pad : 0));
            owed = 0;
        }
        if (i == last && !t->columns[i].right)
            break;
        put_text(out, cells[i].style, str_of(text));
        owed += GAP + (t->columns[i].right && text[0] ? 0 : pad);
        column += widths[i] + GAP;
    }
    if (t->columns[last].right)
        putchar('\n');
    else
        print_last(t, out, column, &cells[last]);
}

static void print_titles(const struct table *t, const struct term *out, const unsigned *widths)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct cell *cells = arena_array(&a, struct cell, t->column_count);

    for (size_t i = 0; i < t->column_count; i++)
        cells[i] = (struct cell){ title(&t->columns[i]), STYLE_DIM };
    print_row(t, out, widths, cells);
}

void table_print(const struct table *t, const struct term *out)
{
    CLEANUP(arena) struct arena a = { 0 };
    unsigned *widths = arena_array(&a, unsigned, t->column_count);

    assert(t->column_count > 0);
    for (size_t i = 0; i < t->column_count; i++)
        widths[i] = column_width(t, i);
    if (!t->no_titles)
        print_titles(t, out, widths);
    for (size_t row = 0; row < t->count / t->column_count; row++) {
        print_row(t, out, widths, &t->cells[row * t->column_count]);
        if (!t->notes[row])
            continue;
        spaces(t->indent + NOTE_INDENT);
        term_wrap(out, STYLE_DIM, t->indent + NOTE_INDENT, out->width, t->notes[row]);
    }
}
