#include "cli/trust_view.h"

#include "base/clock.h"
#include "base/file.h"
#include "hook/trust.h"
#include "proc/proc.h"

#include <stdio.h>

#define LINES_SHOWN 200
#define DIFF_NS     UINT64_C(10000000000)
#define DIFF_MAX    ((size_t)8 << 20)

/* The code point at the beginning, and its bytes; 0: these bytes are none. */
static size_t code_point(struct str s, uint32_t *out)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char c = (unsigned char)s.ptr[0];
    size_t len = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;

    *out = c;
    if (len == 1)
        return 1;
    if (c < 0xc2 || c > 0xf4 || s.len < len)
        return 0;
    *out = c & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if (((unsigned char)s.ptr[i] & 0xc0) != 0x80)
            return 0;
        *out = *out << 6 | ((unsigned char)s.ptr[i] & 0x3f);
    }
    return *out >= least[len] && *out <= 0x10ffff && (*out < 0xd800 || *out > 0xdfff) ? len : 0;
}

/* Characters that show nothing, or show what follows elsewhere. */
static bool deceives(uint32_t c)
{
    return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c ||
           (c >= 0x115f && c <= 0x1160) || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0x3164 ||
           (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff || c == 0xffa0 ||
           (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

char *trust_view_line(struct arena *a, struct str line)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    while (line.len > 0) {
        uint32_t c;
        size_t len = code_point(line, &c);

        if (len == 0 || (len == 1 && deceives(c)))
            strbuf_printf(&out, "\\x%02x", (unsigned char)line.ptr[0]);
        else if (deceives(c))
            strbuf_printf(&out, "\\u{%x}", c);
        else
            strbuf_add(&out, line.ptr, len);
        len = len ? len : 1;
        line = (struct str){ line.ptr + len, line.len - len };
    }
    return arena_cstr(a, strbuf_str(&out));
}

static enum style style_of(struct str line, bool diff)
{
    if (!diff || line.len == 0)
        return STYLE_PLAIN;
    if (line.ptr[0] == '+')
        return STYLE_GREEN;
    return line.ptr[0] == '-' ? STYLE_RED : STYLE_PLAIN;
}

static void show_lines(struct cli *cli, struct str text, bool full, bool diff)
{
    size_t count = 0;
    struct str line;

    if (text.len && text.ptr[text.len - 1] == '\n')
        text.len--;
    while (str_cut(&text, '\n', &line)) {
        CLEANUP(arena) struct arena a = { 0 };

        if (!full && count++ == LINES_SHOWN) {
            printf("… and more: 'hooke trust --full' shows all of it\n");
            return;
        }
        term_put(&cli->out, style_of(line, diff), "%s", trust_view_line(&a, line));
        printf("\n");
    }
}

void trust_view_text(struct cli *cli, struct str text, bool full)
{
    char hash[TRUST_HEX_LEN + 1];

    if (!memchr(text.ptr, '\0', text.len)) {
        show_lines(cli, text, full, false);
        return;
    }
    trust_hash(text, hash);
    printf("(no text: %zu bytes, BLAKE2b-256 %s)\n", text.len, hash);
}

static bool show_diff(struct cli *cli, const char *file, struct str text,
                      const char *const names[2], bool full)
{
    const char *const argv[] = { "diff",   "-u", "--label", names[0], "--label",
                                 names[1], "--", file,      "-",      NULL };
    const struct proc p = {
        .argv = argv,
        .input = text,
        .out_max = DIFF_MAX,
        .deadline_ns = clock_mono_ns() + DIFF_NS,
    };
    CLEANUP(proc_result) struct proc_result r = { 0 };

    proc_run(&p, &r);
    if (r.end != PROC_EXITED || r.exit_code != 1)
        return false;
    show_lines(cli, strbuf_str(&r.out.text), full, true);
    return true;
}

bool trust_view_diff(struct cli *cli, const char *file, struct str text, const char *const names[2])
{
    return show_diff(cli, file, text, names, true);
}

void trust_view_change(struct cli *cli, const char *copy, struct str text, bool full)
{
    static const char *const names[2] = { "trusted", "now" };
    struct str before;

    if (copy && show_diff(cli, copy, text, names, full))
        return;
    if (copy && file_read(&cli->arena, copy, TRUST_FILE_MAX, &before, NULL) == 0) {
        printf("trusted:\n");
        trust_view_text(cli, before, full);
        printf("now:\n");
    } else {
        printf("(there is no copy of what was trusted; this is the text now)\n");
    }
    trust_view_text(cli, text, full);
}
