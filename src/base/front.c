#include "base/front.h"

static bool is_mark(struct str line)
{
    return str_is(str_trim(line), "---");
}

struct str front_cut(struct str *text)
{
    struct str rest = *text, line, front;

    if (!str_cut(&rest, '\n', &line) || !is_mark(line) || !str_is_set(rest))
        return (struct str){ 0 };
    front = (struct str){ rest.ptr, 0 };
    while (str_is_set(rest) && str_cut(&rest, '\n', &line))
        if (is_mark(line)) {
            front.len = (size_t)(line.ptr - front.ptr);
            *text = str_is_set(rest) ? rest : STR("");
            return front;
        }
    return (struct str){ 0 };
}
