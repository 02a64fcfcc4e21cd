/* What the ends of hooks written for Codex mean: its schemas, its refusals, its exit codes. */
#include "answers.h"

#define PRE    "PreToolUse"
#define POST   "PostToolUse"
#define ASKED  "PermissionRequest"
#define PROMPT "UserPromptSubmit"
#define START  "SessionStart"

#define BLOCK(why) "{\"decision\":\"block\",\"reason\":\"" why "\"}"
#define INJECT(id, text) \
    "{\"inject\":[{\"id\":\"" id "\",\"text\":\"" text "\",\"priority\":\"normal\"}]}"
#define CONTINUE(text)     "{\"result\":\"continue\",\"follow_up_messages\":[\"" text "\"]}"
#define SPECIFIC(ev, rest) "{\"hookSpecificOutput\":{\"hookEventName\":\"" ev "\"," rest "}}"
#define PERMISSION(word) \
    SPECIFIC(PRE, "\"permissionDecision\":\"" word "\",\"permissionDecisionReason\":\"why\"")
#define CONSENT(rest) SPECIFIC(ASKED, "\"decision\":{" rest "}")
#define BAD           "gave a bad answer: "

/* The column of Codex in the table of outcomes of one hook before a tool. */
static void outcomes_before_a_tool(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "exit 0, empty", PRE, 0, "", "", "{}", NULL },
        { "exit 0, plain text", PRE, 0, "hello", "", "{}", NULL },
        { "exit 0, broken JSON", PRE, 0, "{bad", "", NULL, BAD "line 1" },
        { "exit 0, unknown field", PRE, 0, "{\"colour\":1}", "", NULL,
          BAD "unknown field 'colour'" },
        { "exit 2 + stderr", PRE, 2, "", " no\n", BLOCK("no"), NULL },
        { "exit 2, silent", PRE, 2, "", " \n", NULL, "exited with code 2" },
        { "exit 2 + JSON allow, stderr", PRE, 2, PERMISSION("allow"), "no", BLOCK("no"), NULL },
        { "exit 2 + JSON deny, silent", PRE, 2, PERMISSION("deny"), "", NULL,
          "exited with code 2" },
        { "exit 1 + stderr", PRE, 1, "", "no", NULL, "exited with code 1: no" },
        { "exit 1 + JSON deny", PRE, 1, PERMISSION("deny"), "", NULL, "exited with code 1" },
        { "exit 127", PRE, 127, "", "", NULL, "exited with code 127" },
        { "exit 1, text", PRE, 1, "words", "", NULL, "exited with code 1" },
        { "exit 1, bad answer", PRE, 1, "{bad", "", NULL, "exited with code 1" },
        { "exit 2, text", PRE, 2, "words", "no", BLOCK("no"), NULL },
    };

    answers_check("codex", rows, ARRAY_LEN(rows));
}

static void everything_at_every_event(void **state UNUSED)
{
    static const struct answer_effects rows[] = {
        { START, "failed", "failed", "stop", "context", "context" },
        { "SubagentStart", "failed", "failed", "nothing", "context", "context" },
        { PROMPT, "block", "block", "stop", "context", "context" },
        { PRE, "block", "block", "failed", "nothing", "context" },
        { ASKED, "block", "failed", "failed", "nothing", "failed" },
        { POST, "block", "block", "block", "nothing", "context" },
        { "Stop", "go-on", "go-on", "stop", "failed", "failed" },
        { "SubagentStop", "go-on", "go-on", "stop", "failed", "failed" },
        { "PreCompact", "failed", "failed", "block", "nothing", "failed" },
        { "PostCompact", "failed", "failed", "warning", "nothing", "failed" },
        { "SessionEnd", "failed", "nothing", "nothing", "nothing", "nothing" },
    };

    answers_check_effects("codex", rows, ARRAY_LEN(rows));
}

static void before_a_tool(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "CX-11 deny blocks", PRE, 0, PERMISSION("deny"), "", BLOCK("why"), NULL },
        { "CX-12 allow with updatedInput rewrites", PRE, 0,
          SPECIFIC(PRE, "\"permissionDecision\":\"allow\",\"updatedInput\":{\"file_path\":\"/b\"}"),
          "", "{\"replace\":{\"args\":{\"path\":\"/b\"}}}", NULL },
        { "CX-14 allow alone fails", PRE, 0, PERMISSION("allow"), "", NULL,
          BAD "permissionDecision 'allow' needs 'updatedInput' at PreToolUse" },
        { "CX-15 ask fails", PRE, 0, PERMISSION("ask"), "", NULL, "'ask' is not supported" },
        { "CX-15 approve fails", PRE, 0, "{\"decision\":\"approve\"}", "", NULL,
          "'approve' is not supported" },
        { "defer is unknown", PRE, 0, PERMISSION("defer"), "", NULL, "must be one of" },
        { "CX-16 legacy block", PRE, 0, "{\"decision\":\"block\",\"reason\":\"no\"}", "",
          BLOCK("no"), NULL },
        { "CX-17 block keeps additionalContext", PRE, 0,
          SPECIFIC(PRE, "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\","
                        "\"additionalContext\":\"x\""),
          "",
          "{\"decision\":\"block\",\"reason\":\"no\",\"inject\":[{\"id\":\"additionalContext\","
          "\"text\":\"x\",\"priority\":\"normal\"}]}",
          NULL },
        { "CX-18 plain stdout ignored", PRE, 0, "ok", "", "{}", NULL },
        { "CX-19 broken JSON fails", PRE, 0, "[1", "", NULL, BAD "line 1" },
        { "an array fails", PRE, 0, "[]", "", NULL, "an answer must be an object, not an array" },
        { "CX-20 exit 2 blocks", PRE, 2, "{bad", "no", BLOCK("no"), NULL },
        { "continue: false refused", PRE, 0, "{\"continue\":false}", "", NULL,
          "'continue: false' is not supported" },
        { "stopReason refused", PRE, 0, "{\"stopReason\":\"x\"}", "", NULL, "'stopReason'" },
        { "suppressOutput refused", PRE, 0, "{\"suppressOutput\":true}", "", NULL,
          "'suppressOutput'" },
        { "suppressOutput: false is fine", PRE, 0, "{\"suppressOutput\":false}", "", "{}", NULL },
        { "updatedInput without allow", PRE, 0, SPECIFIC(PRE, "\"updatedInput\":{}"), "", NULL,
          "'updatedInput' needs permissionDecision 'allow'" },
        { "deny without a reason", PRE, 0, SPECIFIC(PRE, "\"permissionDecision\":\"deny\""), "",
          NULL, "'deny' needs 'permissionDecisionReason'" },
        { "deny with a blank reason", PRE, 0,
          SPECIFIC(PRE, "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\" \""), "",
          NULL, "'deny' needs 'permissionDecisionReason'" },
        { "a reason without a decision", PRE, 0, "{\"reason\":\"x\"}", "", NULL,
          "'reason' needs 'decision'" },
        { "the same in the newer form", PRE, 0, SPECIFIC(PRE, "\"permissionDecisionReason\":\"x\""),
          "", NULL, "'permissionDecisionReason' needs 'permissionDecision'" },
        { "block without a reason", PRE, 0, "{\"decision\":\"block\"}", "", NULL,
          "'block' needs 'reason'" },
        { "a word to the person", PRE, 0, "{\"systemMessage\":\"hi\"}", "", "{\"say\":\"hi\"}",
          NULL },
        { "any event's name will do", PRE, 0, SPECIFIC("Stop", "\"additionalContext\":\"x\""), "",
          INJECT("additionalContext", "x"), NULL },
        { "but not any name", PRE, 0, SPECIFIC("Stopp", "\"additionalContext\":\"x\""), "", NULL,
          "'hookEventName' must be PreToolUse" },
        { "unknown field below", PRE, 0, SPECIFIC(PRE, "\"updatedToolOutput\":1"), "", NULL,
          "unknown field 'updatedToolOutput'" },
    };

    answers_check("codex", rows, ARRAY_LEN(rows));
}

static void permission_requests(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "CX-23 allow", ASKED, 0, CONSENT("\"behavior\":\"allow\""), "",
          "{\"decision\":\"allow\"}", NULL },
        { "CX-22 deny", ASKED, 0, CONSENT("\"behavior\":\"deny\",\"message\":\"no\""), "",
          BLOCK("no"), NULL },
        { "deny without words", ASKED, 0, CONSENT("\"behavior\":\"deny\""), "",
          BLOCK("PermissionRequest hook denied approval"), NULL },
        { "CX-24 silent", ASKED, 0, "", "", "{}", NULL },
        { "exit 2 denies", ASKED, 2, "", "no", BLOCK("no"), NULL },
        { "text ignored", ASKED, 0, "ok", "", "{}", NULL },
        { "CX-25 updatedInput", ASKED, 0, CONSENT("\"behavior\":\"allow\",\"updatedInput\":{}"), "",
          NULL, "'updatedInput' is not supported at PermissionRequest" },
        { "CX-25 updatedPermissions", ASKED, 0,
          CONSENT("\"behavior\":\"allow\",\"updatedPermissions\":[]"), "", NULL,
          "'updatedPermissions' is not supported" },
        { "CX-25 interrupt", ASKED, 0, CONSENT("\"behavior\":\"deny\",\"interrupt\":true"), "",
          NULL, "'interrupt' is not supported" },
        { "interrupt: false is fine", ASKED, 0,
          CONSENT("\"behavior\":\"allow\",\"interrupt\":false"), "", "{\"decision\":\"allow\"}",
          NULL },
        { "continue: false refused", ASKED, 0, "{\"continue\":false}", "", NULL, "not supported" },
    };

    answers_check("codex", rows, ARRAY_LEN(rows));
}

static void after_a_tool(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "CX-26 block replaces the output", POST, 0, "{\"decision\":\"block\",\"reason\":\"no\"}",
          "", BLOCK("no"), NULL },
        { "CX-27 context", POST, 0, SPECIFIC(POST, "\"additionalContext\":\"x\""), "",
          INJECT("additionalContext", "x"), NULL },
        { "CX-28 updatedMCPToolOutput fails", POST, 0, SPECIFIC(POST, "\"updatedMCPToolOutput\":1"),
          "", NULL, "'updatedMCPToolOutput' is not supported" },
        { "CX-29 exit 2", POST, 2, "", "no", BLOCK("no"), NULL },
        { "CX-30 continue: false, its reason", POST, 0,
          "{\"continue\":false,\"reason\":\"no\",\"stopReason\":\"other\"}", "", BLOCK("no"),
          NULL },
        { "CX-30 continue: false, stopReason", POST, 0,
          "{\"continue\":false,\"stopReason\":\"other\"}", "", BLOCK("other"), NULL },
        { "CX-30 continue: false, no words", POST, 0, "{\"continue\":false}", "",
          BLOCK("PostToolUse hook stopped execution"), NULL },
        { "CX-31 plain stdout ignored", POST, 0, "ok", "", "{}", NULL },
        { "block without a reason", POST, 0, "{\"decision\":\"block\"}", "", NULL,
          "needs 'reason'" },
        { "a reason without a decision", POST, 0, "{\"reason\":\"x\"}", "", NULL,
          "'reason' needs 'decision'" },
        { "suppressOutput refused", POST, 0, "{\"suppressOutput\":true}", "", NULL,
          "suppressOutput" },
    };

    answers_check("codex", rows, ARRAY_LEN(rows));
}

static void prompts_and_starts(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "CX-32 continue: false keeps context", PROMPT, 0,
          "{\"continue\":false,\"stopReason\":\"no\",\"hookSpecificOutput\":{\"hookEventName\":"
          "\"UserPromptSubmit\",\"additionalContext\":\"x\"}}",
          "",
          "{\"stop\":\"no\",\"inject\":[{\"id\":\"additionalContext\",\"text\":\"x\",\"priority\":"
          "\"normal\"}]}",
          NULL },
        { "CX-33 block", PROMPT, 0, "{\"decision\":\"block\",\"reason\":\"no\"}", "", BLOCK("no"),
          NULL },
        { "CX-34 block needs a reason", PROMPT, 0, "{\"decision\":\"block\"}", "", NULL,
          "needs 'reason'" },
        { "CX-35 exit 2", PROMPT, 2, "", "no", BLOCK("no"), NULL },
        { "text is context", PROMPT, 0, "x", "", INJECT("stdout", "x"), NULL },
        { "CX-47 text is context", START, 0, "x", "", INJECT("stdout", "x"), NULL },
        { "CX-47 continue: false keeps context", START, 0,
          "{\"continue\":false,\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\","
          "\"additionalContext\":\"x\"}}",
          "",
          "{\"stop\":\"stopped by a hook without a reason\",\"inject\":[{\"id\":"
          "\"additionalContext\",\"text\":\"x\",\"priority\":\"normal\"}]}",
          NULL },
        { "CX-47 broken JSON fails", START, 0, "{", "", NULL, BAD },
        { "exit 2 at a start", START, 2, "", "no", NULL, "exited with code 2: no" },
        { "CX-48 continue: false ignored", "SubagentStart", 0, "{\"continue\":false}", "", "{}",
          NULL },
        { "text is a subagent's context", "SubagentStart", 0, "x", "", INJECT("stdout", "x"),
          NULL },
        { "no decision at a start", START, 0, "{\"decision\":\"block\",\"reason\":\"x\"}", "", NULL,
          "unknown field 'decision' at SessionStart" },
    };

    answers_check("codex", rows, ARRAY_LEN(rows));
}

static void stops(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "CX-36 block goes on", "Stop", 0, "{\"decision\":\"block\",\"reason\":\"test\"}", "",
          CONTINUE("test"), NULL },
        { "CX-37 no reason", "Stop", 0, "{\"decision\":\"block\"}", "", NULL, "needs 'reason'" },
        { "CX-37 blank reason", "Stop", 0, "{\"decision\":\"block\",\"reason\":\" \"}", "", NULL,
          "needs 'reason'" },
        { "CX-38 continue: false beats block", "Stop", 0,
          "{\"continue\":false,\"stopReason\":\"enough\",\"decision\":\"block\",\"reason\":\"x\"}",
          "", "{\"stop\":\"enough\"}", NULL },
        { "CX-39 exit 2 uses stderr only", "Stop", 2, "{\"decision\":\"block\",\"reason\":\"x\"}",
          "test", CONTINUE("test"), NULL },
        { "CX-40 exit 2 without stderr", "Stop", 2, "", "", NULL, "exited with code 2" },
        { "CX-41 plain text fails", "Stop", 0, "ok", "", NULL, BAD "Stop takes no plain text" },
        { "CX-41 broken JSON fails", "Stop", 0, "{x", "", NULL, BAD },
        { "a subagent's block", "SubagentStop", 0, "{\"decision\":\"block\",\"reason\":\"test\"}",
          "", CONTINUE("test"), NULL },
        { "a subagent's plain text", "SubagentStop", 0, "ok", "", NULL, "takes no plain text" },
        { "no context at a stop", "Stop", 0, SPECIFIC("Stop", "\"additionalContext\":\"x\""), "",
          NULL, "unknown field 'hookSpecificOutput' at Stop" },
    };

    answers_check("codex", rows, ARRAY_LEN(rows));
}

static void compaction_and_ends(void **state UNUSED)
{
    static const struct answer_row rows[] = {
        { "CX-44 decision is unknown", "PreCompact", 0, "{\"decision\":\"block\"}", "", NULL,
          "unknown field 'decision' at PreCompact" },
        { "CX-45 continue: false before", "PreCompact", 0,
          "{\"continue\":false,\"stopReason\":\"no\"}", "", BLOCK("no"), NULL },
        { "CX-45 continue: false after", "PostCompact", 0, "{\"continue\":false}", "", "{}",
          "'continue' has no effect at PostCompact" },
        { "CX-46 plain stdout ignored", "PreCompact", 0, "ok", "", "{}", NULL },
        { "exit 2 fails", "PreCompact", 2, "", "no", NULL, "exited with code 2: no" },
        { "CX-49 output ignored", "SessionEnd", 0, "{\"nonsense\"", "", "{}", NULL },
        { "CX-49 a word is ignored, too", "SessionEnd", 0, "{\"systemMessage\":\"x\"}", "", "{}",
          NULL },
        { "CX-49 exit status counts", "SessionEnd", 1, "", "no", NULL, "exited with code 1: no" },
    };

    answers_check("codex", rows, ARRAY_LEN(rows));
}

TESTS(cmocka_unit_test(outcomes_before_a_tool), cmocka_unit_test(everything_at_every_event),
      cmocka_unit_test(before_a_tool), cmocka_unit_test(permission_requests),
      cmocka_unit_test(after_a_tool), cmocka_unit_test(prompts_and_starts), cmocka_unit_test(stops),
      cmocka_unit_test(compaction_and_ends))
