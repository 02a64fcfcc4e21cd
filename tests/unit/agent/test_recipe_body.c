#include "agent/recipe.h"
#include "base/clock.h"
#include "hook/trust.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

static const struct recipe_argument declared[] = {
    { "city", "where", "Paris" },
    { "who", "", NULL },
    { "none", "", "" },
};

static int cook(struct arena *a, const char *body, const char *args,
                const struct recipe_kitchen *kitchen, char **text, struct err *e)
{
    const struct recipe recipe = {
        .name = "x",
        .description = "",
        .path = "x.md",
        .arguments = declared,
        .argument_count = ARRAY_LEN(declared),
        .body = str_of(body),
        .line = 5,
    };
    const struct json *j = NULL;

    if (args && json_parse(a, str_of(args), NULL, &j, e) < 0)
        fail_msg("%s", e->msg);
    return recipe_render(&recipe, j, kitchen, a, text, e);
}

static void gives(const char *body, const char *args, const char *expected)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct recipe_kitchen kitchen = { .run = true };
    struct err e = { 0 };
    char *text = NULL;

    if (cook(&a, body, args, &kitchen, &text, &e) < 0)
        fail_msg("%s\n%s", body, e.msg);
    assert_string_equal(text, expected);
}

static void refuses(const char *body, const char *args, const char *says)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct recipe_kitchen kitchen = { .run = true };
    struct err e = { 0 };
    char *text = NULL;

    if (cook(&a, body, args, &kitchen, &text, &e) == 0)
        fail_msg("%s\ngives: %s", body, text);
    if (!strstr(e.msg, says))
        fail_msg("'%s' is not in '%s'", says, e.msg);
}

static void text_without_actions_stays_as_it_is(void **state UNUSED)
{
    gives("", NULL, "");
    gives("a } b }} { c\n", NULL, "a } b }} { c\n");
}

static void arguments_are_put_in(void **state UNUSED)
{
    gives("{{.who}} in {{ .city }}", "{\"who\":\"Ann\"}", "Ann in Paris");
    gives("{{.city}}", "{\"city\":\"Rome\"}", "Rome");
    gives("{{$.who}}{{.n}}{{.yes}}", "{\"who\":\"a\",\"n\":1.50,\"yes\":true}", "a1.50true");
    gives("{{.two-words}}", "{\"two-words\":\"x\"}", "x");
    gives("{{.who}}", "{\"who\":[\"a\",\"b\",3]}", "a, b, 3");
}

static void what_arguments_hold_is_not_interpreted(void **state UNUSED)
{
    gives("{{.who}}", "{\"who\":\"{{bash \\\"id\\\"}} {{.city}}\"}", "{{bash \"id\"}} {{.city}}");
    gives("{{bash \"printf\" \"%s\" .who}}", "{\"who\":\"{{.city}} $(id) `id`\"}",
          "{{.city}} $(id) `id`");
}

static void texts_can_be_written_both_ways(void **state UNUSED)
{
    gives("{{\"{{\"}}{{\"a\\n\\t\\\"\\\\\"}}{{`b\\n`}}", NULL, "{{a\n\t\"\\b\\n");
}

static void a_default_stands_for_what_is_missing_or_empty(void **state UNUSED)
{
    gives("{{default .x \"y\"}}", NULL, "y");
    gives("{{default .x \"y\"}}", "{\"x\":\"\"}", "y");
    gives("{{default .none \"y\"}}", NULL, "y");
    gives("{{default .x \"y\"}}", "{\"x\":\"z\"}", "z");
    gives("{{default .x .city}}", NULL, "Paris");
}

static void a_missing_argument_is_named_with_the_way_to_give_it(void **state UNUSED)
{
    refuses("{{.who}}", NULL, "recipe 'x' needs the argument 'who': say --arg who=…");
    refuses("{{.who}}{{.b}}{{.who}}", "{\"who\":null}",
            "needs the arguments 'who', 'b': say --arg who=… --arg b=…");
    refuses("{{default .a .b}}", NULL, "'b'");
    refuses("{{bash \"echo\" .who}}", NULL, "'who'");
    refuses("{{range .who}}{{.}}{{end}}", NULL, "'who'");
}

static void no_command_runs_when_an_argument_is_missing(void **state UNUSED)
{
    char made[] = "/tmp/hooke-recipe-XXXXXX";
    char body[256];

    assert_non_null(mkdtemp(made));
    rmdir(made);
    snprintf(body, sizeof(body), "{{bash \"mkdir\" \"%s\"}}{{.who}}", made);
    refuses(body, NULL, "'who'");
    assert_int_equal(access(made, F_OK), -1);
}

static void an_unknown_argument_is_refused_with_the_nearest(void **state UNUSED)
{
    refuses("{{.who}}", "{\"whoo\":\"a\"}", "takes no argument 'whoo', did you mean 'who'?");
    refuses("{{.file}}", "{\"zzzzzzz\":\"a\"}", "it takes 'city', 'who', 'none', 'file'");
    refuses("", "{\"who\":{}}", "must be a text or a list of texts");
    refuses("", "{\"who\":[[]]}", "must be a text or a list of texts");
    refuses("", "[]", "are no object but an array");
}

static void conditions_choose(void **state UNUSED)
{
    gives("{{if .x}}a{{else}}b{{end}}", NULL, "b");
    gives("{{if .x}}a{{else}}b{{end}}", "{\"x\":\"\"}", "b");
    gives("{{if .x}}a{{else}}b{{end}}", "{\"x\":\"false\"}", "a");
    gives("{{if .x}}a{{end}}", "{\"x\":[]}", "");
    gives("{{if eq .x \"1\" \"2\"}}a{{else if ne .x \"3\"}}b{{else}}c{{end}}", "{\"x\":\"2\"}",
          "a");
    gives("{{if eq .x \"1\" \"2\"}}a{{else if ne .x \"3\"}}b{{else}}c{{end}}", "{\"x\":\"4\"}",
          "b");
    gives("{{if eq .x 1}}a{{else if ne .x \"3\"}}b{{else}}c{{end}}", "{\"x\":3}", "c");
    gives("{{if and .city (not .x)}}a{{end}}{{if or .x .city}}b{{end}}", NULL, "ab");
    gives("{{if .city}}{{if .x}}1{{else}}2{{end}}3{{end}}", NULL, "23");
}

static void ranges_repeat(void **state UNUSED)
{
    gives("{{range .l}}<{{.}}>{{end}}", "{\"l\":[\"a\",\"b\"]}", "<a><b>");
    gives("{{range .l}}<{{.}}>{{end}}", "{\"l\":\"[\\\"a\\\", 2]\"}", "<a><2>");
    gives("{{range .l}}<{{.}}>{{end}}", "{\"l\":\"[draft\"}", "<[draft>");
    gives("{{range .l}}<{{.}}>{{else}}none{{end}}", NULL, "none");
    gives("{{range .l}}<{{.}}>{{else}}none{{end}}", "{\"l\":[]}", "none");
    gives("{{range .l}}{{$.city}}{{.who}}{{range .k}}{{.}}{{end}}{{.}};{{end}}",
          "{\"l\":[\"a\",\"b\"],\"k\":[\"1\",\"2\"],\"who\":\"W\"}", "ParisW12a;ParisW12b;");
}

static void white_space_is_trimmed_as_go_does(void **state UNUSED)
{
    gives("a \n {{- .city -}} \n b", NULL, "aParisb");
    gives("a {{.city -}}\n\n{{- .city}} b", NULL, "a ParisParis b");
    gives("a {{- /* gone */ -}} b {{/* this too */}}c", NULL, "ab c");
    gives("a{{- -1 -}} b", NULL, "a-1b");
    gives("{{if .x -}} a {{- else -}} b {{- end}}", NULL, "b");
}

static void errors_say_where(void **state UNUSED)
{
    refuses("a\nb {{.x", NULL, "x.md:6:3: '{{' is not closed");
    refuses("{{.x y}}", NULL, "x.md:5:6: '}}' is expected here");
    refuses("{{}}", NULL, "x.md:5:3: an argument such as .name");
    refuses("{{.}}", NULL, "x.md:5:3: the name of an argument is expected");
    refuses("{{.a.b}}", NULL, "x.md:5:5: an argument has no parts");
    refuses("{{if .x}}a", NULL, "x.md:5:1: this block is not closed");
    refuses("{{if .x}}a{{else}}b", NULL, "x.md:5:1: this block is not closed");
    refuses("{{if .x}}a{{else}}b{{else}}c{{end}}", NULL, "already");
    refuses("{{end}}", NULL, "'{{end}}' closes nothing");
    refuses("{{else}}", NULL, "'{{else}}' closes nothing");
    refuses("{{bsh \"a\"}}", NULL, "x.md:5:3: 'bsh' is not known in recipes, did you mean 'bash'?");
    refuses("{{topic}}", NULL, "an argument is written {{.topic}}");
    refuses("{{bash}}", NULL, "'bash' takes at least 1 operand, not 0");
    refuses("{{default .x}}", NULL, "'default' takes 2 operands, not 1");
    refuses("{{\"a\n\"}}", NULL, "x.md:5:3: the text that begins here is not closed");
    refuses("{{\"\\q\"}}", NULL, "'\\q' is no escape");
    refuses("{{eq (.x}}", NULL, "'(' is not closed");
    refuses("{{/* a }}", NULL, "the comment that begins here is not closed");
    refuses("{{.x | default \"a\"}}", NULL, "x.md:5:6:");
    refuses("{{if .no}}{{with .x}}{{end}}{{end}}", NULL, "'with' is not known");
}

static void depth_is_limited(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf blocks = { 0 }, calls = { 0 };

    strbuf_addstr(&calls, "{{");
    for (int i = 0; i < 100; i++) {
        strbuf_addstr(&blocks, "{{if .x}}");
        strbuf_addstr(&calls, "(not ");
    }
    refuses(strbuf_cstr(&blocks), NULL, "nested more than 64 deep");
    refuses(strbuf_cstr(&calls), NULL, "nested more than 64 deep");
}

static void commands_run_without_a_shell(void **state UNUSED)
{
    gives("<{{bash \"printf\" \"%s,\" \"a b\" \"$HOME\" \"*\"}}>", NULL, "<a b,$HOME,*,>");
    gives("<{{bash \"printf\" \"a\\nb\\n\\n\"}}>", NULL, "<a\nb>");
    gives("{{bash \"printf\" \"%s,\" .l}}", "{\"l\":[\"a b\",\"c\"]}", "a b,c,");
}

static void what_a_failing_command_wrote_counts(void **state UNUSED)
{
    gives("<{{bash \"sh\" \"-c\" \"echo out; echo err >&2; exit 3\"}}>", NULL, "<out\nerr>");
    gives("<{{bash \"sh\" \"-c\" \"exit 1\"}}>", NULL, "<>");
    gives("<{{bash \"sh\" \"-c\" \"printf 'a\\\\0b'\"}}>", NULL, "<ab>");
}

static void a_command_that_cannot_start_leaves_a_note(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct recipe_kitchen kitchen = { .run = true };
    struct err e = { 0 };
    char *text = NULL;

    assert_int_equal(cook(&a, "a {{bash \"no-such-program\"}} b", NULL, &kitchen, &text, &e), 0);
    assert_non_null(strstr(text, "a ('no-such-program' could not be started"));
}

static void a_command_past_its_deadline_is_an_error(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct recipe_kitchen kitchen = { .run = true,
                                            .deadline_ns = clock_mono_ns() + 50000000 };
    struct err e = { 0 };
    char *text = NULL;

    assert_int_equal(cook(&a, "\n{{bash \"sleep\" \"60\"}}", NULL, &kitchen, &text, &e),
                     -ETIMEDOUT);
    assert_non_null(strstr(e.msg, "x.md:6:3: 'sleep' timed out"));
}

static void long_output_is_cut_and_says_so(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct recipe_kitchen kitchen = { .run = true };
    struct err e = { 0 };
    char *text = NULL;

    assert_int_equal(
        cook(&a, "{{bash \"head\" \"-c\" \"300000\" \"/dev/zero\"}}", NULL, &kitchen, &text, &e),
        0);
    assert_non_null(strstr(text, "(only the first 262144 of 300000 bytes)"));
}

static void words_are_shown_when_nothing_may_run(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct err e = { 0 };
    char *text = NULL;

    assert_int_equal(
        cook(&a, "{{bash \"rm\" .who \"a\\\"b\"}}", "{\"who\":\"x y\"}", NULL, &text, &e), 0);
    assert_string_equal(text, "{{bash \"rm\" \"x y\" \"a\\\"b\"}}");
}

static void what_is_not_trusted_is_not_rendered(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct recipe recipe = { .name = "x", .untrusted = "it is not trusted" };
    struct err e = { 0 };
    char *text = NULL;

    assert_int_equal(recipe_render(&recipe, NULL, NULL, &a, &text, &e), TRUST_REFUSED);
    assert_string_equal(e.msg, "recipe 'x': it is not trusted");
}

TESTS(cmocka_unit_test(text_without_actions_stays_as_it_is), cmocka_unit_test(arguments_are_put_in),
      cmocka_unit_test(what_arguments_hold_is_not_interpreted),
      cmocka_unit_test(texts_can_be_written_both_ways),
      cmocka_unit_test(a_default_stands_for_what_is_missing_or_empty),
      cmocka_unit_test(a_missing_argument_is_named_with_the_way_to_give_it),
      cmocka_unit_test(no_command_runs_when_an_argument_is_missing),
      cmocka_unit_test(an_unknown_argument_is_refused_with_the_nearest),
      cmocka_unit_test(conditions_choose), cmocka_unit_test(ranges_repeat),
      cmocka_unit_test(white_space_is_trimmed_as_go_does), cmocka_unit_test(errors_say_where),
      cmocka_unit_test(depth_is_limited), cmocka_unit_test(commands_run_without_a_shell),
      cmocka_unit_test(what_a_failing_command_wrote_counts),
      cmocka_unit_test(a_command_that_cannot_start_leaves_a_note),
      cmocka_unit_test(a_command_past_its_deadline_is_an_error),
      cmocka_unit_test(long_output_is_cut_and_says_so),
      cmocka_unit_test(words_are_shown_when_nothing_may_run),
      cmocka_unit_test(what_is_not_trusted_is_not_rendered))
