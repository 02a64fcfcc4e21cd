#include "cli/plugin_file.h"

#include "hook/trust.h"
#include "json/json.h"

#define HEAD "/* hooke "
#define TAIL ": written by 'hooke install opencode', removed by 'hooke uninstall opencode' */"

enum plugin_state plugin_file_state(struct str text)
{
    struct str rest = text, line;
    char hash[TRUST_HEX_LEN + 1];

    if (!str_starts(text, STR(HEAD)) || !str_cut(&rest, '\n', &line) || !str_ends(line, STR(TAIL)))
        return PLUGIN_OTHER;
    line.len -= strlen(TAIL);
    trust_hash(rest, hash);
    return str_ends(line, str_of(hash)) ? PLUGIN_OURS : PLUGIN_CHANGED;
}

struct str plugin_file_text(struct arena *a, const char *program)
{
    CLEANUP(strbuf) struct strbuf body = { 0 };
    char hash[TRUST_HEX_LEN + 1];

    strbuf_add(&body, plugin_module.ptr, plugin_module.len);
    strbuf_addstr(&body,
                  "\n/* Nothing else is exported: OpenCode takes every export for a plugin. */\n"
                  "export default {\n  id: \"hooke\",\n"
                  "  server: (input, options) => makePlugin(input, { program: ");
    json_write_string(&body, str_of(program));
    strbuf_addstr(&body, ", ...options }),\n}\n");
    trust_hash(strbuf_str(&body), hash);
    return str_of(arena_printf(a, HEAD HOOKE_VERSION " %s" TAIL "\n%s", hash, strbuf_cstr(&body)));
}
