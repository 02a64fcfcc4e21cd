#include "hook/known.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vars.h"

#include <stdlib.h>
#include <unistd.h>

#define NOTES    "AGENTS.md"
#define OWN      "CLAUDE.md"
#define OWN_DOT  ".claude/CLAUDE.md"
#define OWN_MINE "CLAUDE.local.md"
#define OWN_MAX  ((size_t)1 << 20)

static bool is_there(struct arena *a, const char *folder, const char *name)
{
    return access(path_join(a, folder, name), F_OK) == 0;
}

/* Claude Code ---------------------------------------------------------------------------------- */

/* "claude-code_2-1-325_harness" is what it calls itself to the programs it runs. */
static bool reads_notes(void)
{
    static const char prefix[] = "claude-code_";
    static const unsigned long since[] = { 2, 1, 277 };
    const char *at = vars_get("AI_AGENT");
    char *end;

    if (!at || strncmp(at, prefix, sizeof(prefix) - 1) != 0)
        return false;
    at += sizeof(prefix) - 1;
    for (size_t i = 0; i < ARRAY_LEN(since); i++) {
        unsigned long number = strtoul(at, &end, 10);

        if (end == at || number != since[i])
            return end != at && number > since[i];
        at = end + (*end == '-');
    }
    return true;
}

static bool has_own(struct arena *a, const char *folder)
{
    const char *home = path_home();

    /* The one in the home folder is the person's, of no project. */
    return is_there(a, folder, OWN) || is_there(a, folder, OWN_MINE) ||
           (is_there(a, folder, OWN_DOT) && !(home && strcmp(home, folder) == 0));
}

static bool is_own_project(struct arena *a, const char *folder)
{
    for (;; folder = path_dirname(a, folder)) {
        if (has_own(a, folder))
            return true;
        if (strcmp(folder, "/") == 0)
            return false;
    }
}

/* CLAUDE.md is often no more than a line that imports AGENTS.md, or a link to it. */
static bool brings_notes(struct arena *a, const char *folder)
{
    CLEANUP(mem) char *own = realpath(path_join(a, folder, OWN), NULL);
    CLEANUP(mem) char *notes = realpath(path_join(a, folder, NOTES), NULL);
    struct str text;

    if (!own || !notes)
        return false;
    return strcmp(own, notes) == 0 || (file_read(a, own, OWN_MAX, &text, NULL) == 0 && text.len &&
                                       memmem(text.ptr, text.len, "@" NOTES, strlen("@" NOTES)));
}

static bool claude_knows(struct arena *a, const char *root, const struct known_place *p)
{
    const char *folder = p->folder;
    bool above = path_within(folder, root);

    if (!above && !(p->read && path_within(root, folder)))
        return false;
    if (brings_notes(a, folder))
        return true;
    return reads_notes() && !is_own_project(a, root) && (above || !has_own(a, folder));
}

/* ---------------------------------------------------------------------------------------------- */

bool known_to_agent(struct arena *a, const char *agent, const struct known_place *p)
{
    bool claude = agent && strcmp(agent, "claude") == 0;
    const char *project = claude ? vars_get("CLAUDE_PROJECT_DIR") : NULL;
    CLEANUP(mem) char *root = NULL;

    if (!agent || !(project || p->cwd))
        return false;
    root = realpath(project ? project : p->cwd, NULL);
    if (!root)
        return false;
    return claude ? claude_knows(a, root, p)
                  : strcmp(agent, "codex") == 0 && path_within(p->folder, root);
}
