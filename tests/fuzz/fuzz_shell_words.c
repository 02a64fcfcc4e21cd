/* Words lie in the text, in order; a known one, quoted, is the same word again. */
#include "hook/shell_words.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_word(struct arena *a, const struct shell_word *w)
{
    struct shell_words again;

    if (!w->text)
        return;
    require(shell_words_parse(a, str_of(shell_quote(a, w->text)), NULL, &again, NULL) == 0);
    require(again.count == 1 && again.list[0].text && strcmp(again.list[0].text, w->text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct shell_variable variables[] = { { "HOME", "/h o" }, { NULL, NULL } };
    CLEANUP(arena) struct arena a = { 0 };
    struct str text = { arena_cstr(&a, (struct str){ size ? (const char *)data : "", size }),
                        size };
    struct shell_words words;
    size_t end = 0;

    if (shell_words_parse(&a, text, variables, &words, NULL) < 0)
        return 0;
    for (size_t i = 0; i < words.count; i++) {
        const struct shell_word *w = &words.list[i];

        require(w->len > 0 && w->at + w->len <= size && w->at + w->len > end);
        require(!w->text || w->at >= end);
        end = w->at + w->len;
        check_word(&a, w);
    }
    return 0;
}
