#include "hook/provider_keys.h"

#include <stddef.h>

const char *const provider_keys[] = {
    "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", NULL,
};
