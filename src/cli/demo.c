#include "cli/demo.h"

#include <errno.h>

/* Written in two pieces, so that nobody's scanner takes the example for a real one. */
#define FAKE_TOKEN \
    "ghp"          \
    "_0123456789abcdefghijABCDEFGHIJ012345"

#define SYSTEM(done)                                                                 \
    "{\"system\":[\"You are a careful engineer.\"],\"purpose\":\"main\",\"todos\":[" \
    "{\"text\":\"read the parser\",\"status\":\"" done "\"},"                        \
    "{\"text\":\"accept trailing commas\",\"status\":\"pending\"}]}"

const char demo_config[] = "# What 'hooke demo' runs with.\n"
                           "hook_cadence:\n"
                           "  system-prompt: 3\n"
                           "hooks:\n"
                           "  - name: system-prompt\n"
                           "    text: Run the tests before you say that something works.\n"
                           "  - name: no-web\n"
                           "    on: tool.execute.before\n"
                           "    tool: web_fetch\n"
                           "    block: This project is built without the network.\n";

const struct moment demo_moments[] = {
    { .title = "A session begins",
      .point = POINT_SESSION_CREATED,
      .data = "{\"source\":\"startup\"}",
      .note = "A notice: hooks may take note. One of them now waits for the first message." },
    { .title = "The user writes the first message",
      .point = POINT_CHAT_MESSAGE,
      .data = "{\"message\":{\"id\":\"m1\",\"text\":\"Make the parser accept trailing commas.\"}}",
      .note = "The orchestrator's first message gets the variant 'high'; later ones do not." },
    { .title = "Turn 1: the system prompt is put together",
      .point = POINT_SYSTEM_TRANSFORM,
      .turn = 1,
      .data = SYSTEM("pending"),
      .note = "hook_cadence says 3 for this hook: time 1 always fires." },
    { .title = "The model has read a file",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .turn = 1,
      .data = "{\"tool\":\"read\",\"args\":{\"path\":\"src/parser.c\"},"
              "\"output\":\"static int parse_list(struct parser *p)…\",\"success\":true}",
      .note = "The output stays as it is. The reminder waits in the collector." },
    { .title = "The messages of the next request are put together",
      .point = POINT_MESSAGES_TRANSFORM,
      .turn = 2,
      .data = "{\"purpose\":\"main\",\"messages\":[{\"id\":\"m1\",\"role\":\"user\","
              "\"content\":\"Make the parser accept trailing commas.\"}]}",
      .note = "What waited is now a part of its own, the same bytes in every later request." },
    { .title = "Turn 2: the system prompt again",
      .point = POINT_SYSTEM_TRANSFORM,
      .turn = 2,
      .data = SYSTEM("completed"),
      .note = "Time 2 of 3: held back, and the receipt says so." },
    { .title = "The model wants to call an interface with a token in the command",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .turn = 2,
      .data = "{\"tool\":\"bash\",\"args\":{\"command\":"
              "\"curl -H 'Authorization: Bearer " FAKE_TOKEN "' https://example.org\"}}",
      .note = "A block ends the chain: the hooks behind it are not asked." },
    { .title = "It tries to fetch the page instead",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .turn = 2,
      .data = "{\"tool\":\"web_fetch\",\"args\":{\"url\":\"https://example.org\"}}",
      .note = "A rule: four lines of configuration, no process, no file." },
    { .title = "It runs the same failing test over and over",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .turn = 3,
      .times = 4,
      .data = "{\"tool\":\"bash\",\"args\":{\"command\":\"make test\"}}",
      .note = "Three times in a row are let through." },
    { .title = "A command prints a token",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .turn = 3,
      .data = "{\"tool\":\"bash\",\"args\":{\"command\":\"env\"},"
              "\"output\":\"HOME=/home/demo\\nTOKEN=" FAKE_TOKEN "\",\"success\":true}",
      .note = "The changed output is what the model reads and what is stored." },
    { .title = "A commit, and an ordinary hook that fails",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .turn = 3,
      .data = "{\"tool\":\"bash\","
              "\"args\":{\"command\":\"git commit -am 'parser: accept trailing commas'\"}}",
      .note = "A failure is no answer. on_failure is 'allow' here, so the commit goes on." },
    { .title = "A push, and a safety-critical hook that fails",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .turn = 3,
      .data = "{\"tool\":\"bash\",\"args\":{\"command\":\"git push\"}}",
      .note = "For safety-critical hooks on_failure is 'block': nothing slips past." },
    { .title = "Turn 3: the system prompt again",
      .point = POINT_SYSTEM_TRANSFORM,
      .turn = 3,
      .data = SYSTEM("completed") },
    { .title = "Turn 4: and again",
      .point = POINT_SYSTEM_TRANSFORM,
      .turn = 4,
      .data = SYSTEM("completed"),
      .note = "Time 4: the cadence opens once more." },
    { .title = "The conversation is deleted",
      .point = POINT_SESSION_DELETED,
      .data = "{}",
      .note = "All state of the session is gone with it." },
    { 0 },
};

static bool runs_command(const struct hook_call *c, const char *command)
{
    const struct json *args = event_data(c->event, STR("args"));
    struct str text = json_str(c->arena, json_get(args, STR("command")));

    return str_starts(text, str_of(command));
}

static int style_notes(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    if (!runs_command(c, "git commit"))
        return 0;
    return err_set(e, -ENOENT, "failed: its list of rules is missing");
}

static int release_gate(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    if (!runs_command(c, "git push"))
        return 0;
    return err_set(e, -EIO, "failed: the release calendar cannot be read");
}

int demo_register(struct engine *en, struct err *e)
{
    static const struct engine_callback ordinary = {
        .name = "style-notes",
        .on = { .point = POINT_TOOL_EXECUTE_BEFORE },
        .layer = LAYER_GUARD,
        .run = style_notes,
    };
    static const struct engine_callback critical = {
        .name = "release-gate",
        .on = { .point = POINT_TOOL_EXECUTE_BEFORE },
        .layer = LAYER_GUARD,
        .safety_critical = true,
        .run = release_gate,
    };
    int r = engine_register(en, &ordinary, e);

    return r < 0 ? r : engine_register(en, &critical, e);
}
