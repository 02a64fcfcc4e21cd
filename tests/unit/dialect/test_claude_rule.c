/* Permission rules as conditions: the table of the documentation, and what fails open. */
#include "answers.h"
#include "dialect/claude_rule.h"

static bool test(const char *rule, const char *data)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = answers_event(&a, "PreToolUse", data);
    struct claude_rule parsed;
    struct err e = { 0 };

    if (claude_rule_parse(str_of(rule), &parsed, &e) < 0)
        fail_msg("%s", e.msg);
    return claude_rule_test(&parsed, &a, &ev);
}

static bool test_command(const char *rule, const char *command)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *args = json_object(&a), *data = json_object(&a);

    json_add(&a, args, STR("command"), json_cstring(&a, command));
    json_add(&a, data, STR("tool"), json_cstring(&a, "bash"));
    json_add(&a, data, STR("args"), args);
    return test(rule, json_text(&a, data));
}

static void shell_commands(void **state UNUSED)
{
    static const struct {
        const char *rule, *command;
        bool fits;
    } rows[] = {
        { "Bash", "ls", true },
        { "Bash()", "ls", true },
        { "Bash(*)", "ls", true },
        { "Bash(git *)", "git push", true },
        { "Bash(git *)", "git", true },
        { "Bash(git:*)", "git push", true },
        { "Bash(git *)", "github", false },
        { "Bash(git*)", "github", true },
        { "Bash(npm run test)", "npm run test", true },
        { "Bash(npm run test)", "npm run tests", false },
        { "Bash(* --force)", "git push --force", true },
        { "Bash(git * main)", "git push origin main", true },
        { "Bash(git *)", "ls", false },
        /* leading assignments, sub-commands, what is inside of expansions */
        { "Bash(git *)", "A=1 B='x y' git push", true },
        { "Bash(rm *)", "cd x && rm -rf y", true },
        { "Bash(rm *)", "ls; rm y", true },
        { "Bash(rm *)", "ls | rm y", true },
        { "Bash(rm *)", "ls\nrm y", true },
        { "Bash(rm *)", "(rm y)", true },
        { "Bash(rm *)", "if true; then rm y; fi", true },
        { "Bash(rm *)", "echo $(rm x)", true },
        { "Bash(rm *)", "echo \"a `rm x`\"", true },
        { "Bash(rm *)", "echo $(date)", false },
        { "Bash(rm *)", "echo rm x", false },
        { "Bash(rm *)", "echo 'a; rm x'", false },
        { "Bash(rm *)", "ls # ; rm x", false },
        { "Bash(git push *)", "echo $(date)", true },
        { "Bash(git push *)", "echo `date`", true },
        { "Bash(git push *)", "echo $HOME", true },
        { "Bash(git push *)", "echo '$HOME'", false },
        { "Bash(git push *)", "echo 5", false },
        /* other spellings of the same */
        { "Bash(git push *)", "git   push  -f", true },
        { "Bash(git push *)", "\"git\" pu\\sh -f", true },
        { "Bash(git push *)", "git \\\n push -f", true },
        /* nobody can tell: it runs */
        { "Bash(rm *)", "$CMD x", true },
        { "Bash(rm *)", "echo 'open", true },
        { "Bash(rm *)", "echo $(open", true },
        { "Bash(rm *)", "cat <<EOF\nx\nEOF", true },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (test_command(rows[i].rule, rows[i].command) != rows[i].fits)
            fail_msg("%s and %s", rows[i].rule, rows[i].command);
}

static void files(void **state UNUSED)
{
    static const struct {
        const char *rule, *tool, *path;
        bool fits;
    } rows[] = {
        { "Edit(*.ts)", "edit", "a.ts", true },
        { "Edit(*.ts)", "edit", "src/deep/a.ts", true },
        { "Edit(*.ts)", "edit", "a.js", false },
        { "Edit(*.ts)", "write", "a.ts", true },
        { "Write(*.ts)", "edit", "a.ts", false },
        { "Edit(src/**)", "edit", "src/a.c", true },
        { "Edit(src/**)", "edit", "/repo/src/x/a.c", true },
        { "Edit(src/**)", "edit", "lib/src/a.c", false },
        { "Edit(src/**)", "edit", "/other/src/a.c", false },
        { "Edit(src/**)", "edit", "src/../a.c", false },
        { "Edit(./src/**)", "edit", "src/a.c", true },
        { "Edit(src)", "edit", "src/a.c", true },
        { "Edit(src/)", "edit", "src/a.c", true },
        { "Edit(/src/*)", "edit", "src/a.c", true },
        { "Read(//etc/**)", "read", "/etc/passwd", true },
        { "Read(//etc/**)", "read", "etc/passwd", false },
        { "Read(~/.ssh/**)", "read", "/home/me/.ssh/id", true },
        { "Read(~/.ssh/**)", "read", ".ssh/id", false },
        { "Read(*.env)", "grep", "a.env", true },
        { "Read(*.env)", "edit", "a.env", false },
        { "Edit", "write", "x", true },
        { "Edit", "read", "x", false },
    };

    assert_int_equal(setenv("HOME", "/home/me", 1), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        const char *data = arena_printf(&a, "{\"tool\":\"%s\",\"args\":{\"path\":\"%s\"}}",
                                        rows[i].tool, rows[i].path);

        if (test(rows[i].rule, data) != rows[i].fits)
            fail_msg("%s and %s %s", rows[i].rule, rows[i].tool, rows[i].path);
    }
}

static void other_tools(void **state UNUSED)
{
    static const struct {
        const char *rule, *data;
        bool fits;
    } rows[] = {
        { "WebFetch(domain:example.com)",
          "{\"tool\":\"web_fetch\",\"args\":{\"url\":\"https://example.com:443/a\"}}", true },
        { "WebFetch(domain:example.com)",
          "{\"tool\":\"web_fetch\",\"args\":{\"url\":\"https://example.com.evil.org/\"}}", false },
        { "WebFetch(domain:example.com)",
          "{\"tool\":\"web_fetch\",\"args\":{\"url\":\"https://example.com@evil.org/\"}}", false },
        { "WebFetch(domain:*.example.com)",
          "{\"tool\":\"web_fetch\",\"args\":{\"url\":\"https://a.example.com\"}}", true },
        { "WebFetch(anything)", "{\"tool\":\"web_fetch\",\"args\":{\"url\":\"https://a\"}}", true },
        { "Agent(Explore)", "{\"tool\":\"task\",\"args\":{\"subagent_type\":\"Explore\"}}", true },
        { "Task(Plan)", "{\"tool\":\"task\",\"args\":{\"subagent_type\":\"Explore\"}}", false },
        { "Task", "{\"tool\":\"task\"}", true },
        { "mcp__jira", "{\"tool\":\"mcp__jira__get\"}", true },
        { "mcp__jira__*", "{\"tool\":\"mcp__jira__get\"}", true },
        { "mcp__jira__get", "{\"tool\":\"mcp__jira__get\"}", true },
        { "mcp__jira", "{\"tool\":\"mcp__jirax__get\"}", false },
        { "Edit(*.ts)", "{\"tool\":\"apply_patch\",\"args\":{\"patch\":\"x\"}}", true },
        { "Bash(git *)", "{\"tool\":\"bash\"}", true },
        { "Bash", "{}", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (test(rows[i].rule, rows[i].data) != rows[i].fits)
            fail_msg("%s and %s", rows[i].rule, rows[i].data);
}

TESTS(cmocka_unit_test(shell_commands), cmocka_unit_test(files), cmocka_unit_test(other_tools))
