/*
 * A model writes shell text: whatever it is, it is read in bounded time and memory. A text that is
 * read has its commands inside it, and quoted as one word it is one word of one command.
 */
#include "hook/shell_commands.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_command(const struct shell_command *c, size_t size)
{
    require(c->count > 0 || c->redirects);
    require(c->raw.len <= size);
    for (size_t i = 0; i < c->count; i++)
        require(c->words[i].seen && (!c->words[i].text || c->words[i].text == c->words[i].seen));
    for (const struct shell_redirect *r = c->redirects; r; r = r->next)
        require(r->word.seen && r->text.len <= (size_t)1 << 20);
}

static void check_quoted(struct arena *a, const char *text)
{
    struct shell_commands all;

    require(shell_commands_read(a, str_of(shell_quote(a, text)), NULL, &all, NULL) == 0);
    require(all.count == 1 && all.first->count == 1 && all.first->words[0].text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct shell_variable variables[] = { { "HOME", "/h o" },
                                                       { "IFS", " " },
                                                       { NULL, NULL } };
    CLEANUP(arena) struct arena a = { 0 };
    struct str text = { arena_cstr(&a, (struct str){ size ? (const char *)data : "", size }),
                        size };
    struct shell_commands all;
    size_t count = 0;
    int r = shell_commands_read(&a, text, variables, &all, NULL);

    for (const struct shell_command *c = all.first; c; c = c->next, count++)
        check_command(c, size);
    require(count == all.count);
    if (r == 0 && !memchr(text.ptr, '\001', size))
        check_quoted(&a, text.ptr);
    return 0;
}
