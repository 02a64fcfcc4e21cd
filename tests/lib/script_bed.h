/*
 * script_bed.h - a test bed (bed.h) with one hook that is a script.
 */
#pragma once

#include "bed.h"

#define BASH(command) "{\"tool\":\"bash\",\"args\":{\"command\":\"" command "\"}}"

/* The hook 's' is the file s.lua; `keys` are further keys of its entry. */
static inline void script_configure(struct bed *bed, const char *keys, const char *lua)
{
    char *file = path_join(&bed->arena, bed->dir.path, "s.lua");

    assert_int_equal(file_write(file, str_of(lua), 0600, NULL), 0);
    bed_configure(bed, NULL,
                  arena_printf(&bed->arena, "hooks:\n  - { name: s, script: s.lua%s%s }\n",
                               keys[0] ? ", " : "", keys));
}

/* All problems of the configuration, a line each. */
static inline const char *script_problems(struct bed *bed)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    struct registry *reg = engine_look(bed->engine);

    for (const struct problem *p = registry_config(reg)->problems.first; p; p = p->next)
        strbuf_printf(&b, "%s\n", p->message);
    registry_unref(reg);
    return arena_strdup(&bed->arena, strbuf_cstr(&b));
}

/* A function for tool.execute.before with this body. */
static inline const char *script_body(struct bed *bed, const char *body)
{
    return arena_printf(&bed->arena, "hooke.on('tool.execute.before', function(event)\n%s\nend)\n",
                        body);
}

/* The verdict of a function with this body; the run must be done. */
static inline const char *script_answer(struct bed *bed, const char *body, const char *data)
{
    script_configure(bed, "", script_body(bed, body));
    bed_emit(bed, "tool.execute.before", data);
    if (bed->receipt.run_count != 1 || bed->receipt.runs[0].end != RUN_DONE)
        fail_msg("'%s': %s%s", body, script_problems(bed),
                 bed->receipt.run_count ? bed->receipt.runs[0].detail : "did not run");
    return bed_verdict(bed);
}
