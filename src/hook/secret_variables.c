#include "hook/secret_variables.h"

#include "base/macros.h"

const char *const *secret_variables(size_t *count)
{
    static const char *const names[] = {
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
    };

    *count = ARRAY_LEN(names);
    return names;
}
