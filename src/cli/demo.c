#include "cli/demo.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/path.h"

#include <string.h>
#include <sys/stat.h>

const char demo_prompt[] = "Make greet.sh say hello to the person it is given.";

static const char config[] = "# What 'hooke demo' runs with.\n"
                             "model: script/first-choice\n"
                             "providers: { script: { file: turns.yaml } }\n"
                             "agents: { builder: { fallback: [script/second-choice] } }\n"
                             "hook_cadence: { system-prompt: 3 }\n"
                             "hooks:\n"
                             "  - name: system-prompt\n"
                             "    text: Run what you have changed before you say that it works.\n"
                             "  - name: no-force-push\n"
                             "    on: tool.execute.before\n"
                             "    tool: bash\n"
                             "    when: re(args.command, [[git push.*--force]])\n"
                             "    block: Force pushes are not allowed here.\n"
                             "  - { name: call-counter, resident: [./call-counter.sh] }\n"
                             "  - name: check-twice\n"
                             "    on: agent.stop\n"
                             "    when: continuations == 0\n"
                             "    continue: Run it once more, without a name, before you stop.\n";

/* The model's part of the session. */
static const char turns[] =
    "turns:\n"
    "- model: first-choice\n"
    "  error: { class: rate_limit, status: 429, message: too many requests, retry_after: 30s }\n"
    "- text: I look first.\n"
    "  calls: [{ tool: read, args: { path: greet.sh } }, { tool: glob, args: { pattern: '*' } }]\n"
    "  usage: { input_tokens: 910, output_tokens: 42 }\n"
    "- text: The Makefile needs a rule for it, and then I publish.\n"
    "  calls:\n"
    "  - { tool: edit, args: { path: Makefile, old_string: 'all:', new_string: 'all: greet' } }\n"
    "  - { tool: bash, args: { command: git push --force } }\n"
    "  usage: { input_tokens: 160, cache_read_tokens: 910, output_tokens: 55 }\n"
    "- text: Neither is wanted. I change only what was asked.\n"
    "  calls:\n"
    "  - tool: edit\n"
    "    args: { path: greet.sh, old_string: echo hello, new_string: 'echo \"hello, ${1:-world}\"' }\n"
    "  - { tool: bash, args: { command: sh greet.sh Ada; seq 1 9000 } }\n"
    "  usage: { input_tokens: 180, cache_read_tokens: 1070, output_tokens: 61 }\n"
    "- text: greet.sh greets who it is given.\n"
    "  usage: { input_tokens: 7400, cache_read_tokens: 1250, output_tokens: 12 }\n"
    "- calls: [{ tool: bash, args: { command: sh greet.sh } }]\n"
    "  usage: { input_tokens: 90, cache_read_tokens: 8650, output_tokens: 20 }\n"
    "- text: Without a name it greets the world. Both work.\n"
    "  usage: { input_tokens: 70, cache_read_tokens: 8740, output_tokens: 14 }\n";

static const char counter[] =
    "#!/bin/sh\n"
    "# One process for the whole session: it counts the tool calls.\n"
    "calls=0\n"
    "answer() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$1\"; }\n"
    "while IFS= read -r line; do\n"
    "\tid=${line#*\\\"id\\\":} id=${id%%,*}\n"
    "\tcase $line in\n"
    "\t*'\"method\":\"initialize\"'*)\n"
    "\t\tanswer '{\"name\":\"counter\",\"subscriptions\":[{\"point\":\"tool.execute.after\"}]}' ;;\n"
    "\t*'\"method\":\"event\"'*)\n"
    "\t\tcalls=$((calls + 1))\n"
    "\t\tif [ $calls -eq 4 ]; then\n"
    "\t\t\tanswer '{\"inject\":[{\"id\":\"calls\",\"text\":\"Four tools have run: say where you "
    "stand.\"}]}'\n"
    "\t\telse answer '{}'; fi ;;\n"
    "\t*'\"method\":\"shutdown\"'*) answer null ;;\n"
    "\t*'\"method\":\"exit\"'*) exit 0 ;;\n"
    "\tesac\n"
    "done\n";

static const char kodelet[] =
    "#!/bin/sh\n"
    "# A hook written for Kodelet, found in its folder and run unchanged.\n"
    "case $1 in\n"
    "hook) echo before_tool_call ;;\n"
    "run) grep -q '\"file_path\":\"Makefile\"' &&\n"
    "\techo '{\"blocked\":true,\"reason\":\"the Makefile is generated, do not edit it\"}' ;;\n"
    "esac\n"
    "true\n";

static const struct {
    const char *path, *text;
    mode_t mode;
} files[] = {
    { "home/.config/hooke/config.yaml", config, 0600 },
    { "home/.config/hooke/turns.yaml", turns, 0600 },
    { "home/.config/hooke/call-counter.sh", counter, 0700 },
    { "home/.kodelet/hooks/generated", kodelet, 0700 },
    { "workspace/.git/HEAD", "ref: refs/heads/main\n", 0600 },
    { "workspace/greet.sh", "#!/bin/sh\necho hello\n", 0644 },
    { "workspace/Makefile", "all:\n\t@echo nothing to do\n", 0644 },
};

int demo_write(const char *dir, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    int r = 0;

    for (size_t i = 0; i < ARRAY_LEN(files) && r == 0; i++)
        r = file_write(path_join(&a, dir, files[i].path), str_of(files[i].text), files[i].mode, e);
    return r;
}

const char *demo_lesson(const char *hook)
{
    static const struct {
        const char *hook, *lesson;
    } lessons[] = {
        { "foreground-fallback", "built in: the next model of the agent's chain takes over" },
        { "no-force-push", "a rule: five lines of configuration, no process" },
        { "kodelet/generated", "a script written for Kodelet, found and run unchanged" },
        { "call-counter", "a resident hook: one process for the whole session" },
        { "check-twice", "a rule: hooks can keep an agent going, within a cap" },
        { "system-prompt", "built in: at the end of the request, where it breaks no cache" },
        { "context-injector", "built in: it places what other hooks left for the model" },
    };

    for (size_t i = 0; i < ARRAY_LEN(lessons); i++)
        if (strcmp(lessons[i].hook, hook) == 0)
            return lessons[i].lesson;
    return NULL;
}
