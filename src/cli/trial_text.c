#include "cli/trial_text.h"

#include "cli/runs.h"
#include "cli/show_point.h"

#include <stdio.h>

static const struct hook *hook_of(const struct trial_text *t)
{
    return t->trial->hook;
}

/* NULL when it was held back. */
static const struct hook_run *run_of(const struct trial_text *t)
{
    return t->receipt->run_count ? &t->receipt->runs[0] : NULL;
}

static const char *outcome_of(struct cli *cli, const struct trial_text *t)
{
    struct run_lines lines = runs_of_receipt(&cli->arena, t->receipt);

    return lines.count ? lines.lines[0].outcome : "none";
}

/* All of it where the runner tells, else what a receipt would keep. */
static const char *errors_of(const struct trial_text *t)
{
    const struct hook_run *run = run_of(t);

    if (t->trial->report.errors)
        return t->trial->report.errors;
    return run && run->io ? run->io->stderr_head : NULL;
}

/* What a failed run means for the event, by what the chain made of it. */
static const char *consequence(struct arena *a, const struct trial_text *t)
{
    const char *said = failure_name(hook_of(t)->traits.on_failure);
    const struct verdict *v = &t->receipt->verdict;

    if (v->decision == DECISION_BLOCK)
        return arena_printf(a, "on_failure is %s: the event would be blocked", said);
    if (v->decision == DECISION_ASK)
        return arena_printf(a, "on_failure is %s: a person would be asked", said);
    if (hook_of(t)->traits.on_failure == FAILURE_ALLOW || hook_of(t)->traits.observe)
        return arena_printf(a, "on_failure is %s: the event would go on, as if it had no opinion",
                            said);
    return arena_printf(a, "on_failure is %s, but nothing can be refused at this point", said);
}

/* Text ----------------------------------------------------------------------------------------- */

static void print_lines(struct cli *cli, const char *title, const char *text)
{
    struct str rest = str_trim(str_of(text)), line;

    if (rest.len == 0)
        return;
    term_put(&cli->out, STYLE_DIM, "\n%s\n", title);
    while (str_cut(&rest, '\n', &line))
        printf("  %s\n", term_clean(&cli->arena, arena_cstr(&cli->arena, line)));
}

static void print_outcome(struct cli *cli, const struct trial_text *t)
{
    const struct hook_run *run = run_of(t);
    const char *outcome = outcome_of(cli, t);

    term_put(&cli->out, STYLE_DIM, "  %-16s", "outcome");
    term_put(&cli->out, run && run->end != RUN_DONE ? STYLE_RED : outcome_style(outcome), "%s",
             outcome);
    if (run && run->end != RUN_DONE)
        printf(": %s", term_clean(&cli->arena, run->detail));
    if (!run && t->receipt->held_count)
        printf(": %s", t->receipt->held[0].detail);
    putchar('\n');
    if (run && run->end != RUN_DONE)
        show_field(cli, "in the chain", "%s", consequence(&cli->arena, t));
}

static void print_costs(struct cli *cli, const struct trial_text *t)
{
    const struct hook_run *run = run_of(t);
    struct arena *a = &cli->arena;

    if (!run)
        return;
    show_field(cli, "time", "%s", term_duration(a, run->ns));
    if (t->trial->report.exited)
        show_field(cli, "exit code", "%d", t->trial->report.exit_code);
    if (run->io && (run->io->bytes_in || run->io->bytes_out))
        show_field(cli, "bytes", "%s in, %s out", term_size(a, run->io->bytes_in),
                   term_size(a, run->io->bytes_out));
    if (run->tokens)
        show_field(cli, "injected", "%u tokens", run->tokens);
}

static void print_verdict(struct cli *cli, const struct trial_text *t)
{
    CLEANUP(strbuf) struct strbuf text = { .max = JSON_MAX_BYTES };

    json_write(&text, verdict_to_json(&cli->arena, &t->receipt->verdict), JSON_PRETTY);
    print_lines(cli, "verdict", arena_cstr(&cli->arena, strbuf_str(&text)));
}

void trial_text_print(struct cli *cli, const struct trial_text *t)
{
    struct arena *a = &cli->arena;
    const char *tool = arena_cstr(a, event_tool(a, t->event));

    show_title(cli, hook_of(t)->name, hook_of(t)->summary);
    show_field(cli, "runner", "%s", runner_kind_name(hook_of(t)->runner));
    show_field(cli, "event", "%s%s%s", point_info(t->event->point)->name, tool ? " " : "",
               tool ? tool : "");
    if (t->mismatch)
        show_field(cli, "not matched", "%s; run all the same", t->mismatch);
    print_outcome(cli, t);
    print_costs(cli, t);
    if (t->session)
        show_field(cli, "state", "that of session '%s', and kept", t->session);
    else
        show_field(cli, "state", "in a store of its own, gone now; --session ID uses a session's");
    for (size_t i = 0; i < t->receipt->warning_count; i++)
        term_put(&cli->out, STYLE_YELLOW, "  %-16s%s\n", "warning",
                 term_clean(a, t->receipt->warnings[i]));
    print_verdict(cli, t);
    print_lines(cli, "standard output", t->trial->report.output);
    print_lines(cli, "standard error", errors_of(t));
}

/* JSON ----------------------------------------------------------------------------------------- */

static void add_run(struct arena *a, struct json *j, const struct trial_text *t)
{
    const struct hook_run *run = run_of(t);
    const struct hook_report *report = &t->trial->report;

    if (!run)
        return;
    json_add(a, j, STR("us"), json_int(a, (int64_t)(run->ns / 1000)));
    if (run->end != RUN_DONE) {
        json_add(a, j, STR("failure"), json_cstring(a, run->detail));
        json_add(a, j, STR("on_failure"),
                 json_cstring(a, failure_name(hook_of(t)->traits.on_failure)));
    }
    if (report->exited)
        json_add(a, j, STR("exit_code"), json_int(a, report->exit_code));
    if (run->io && run->io->bytes_in)
        json_add(a, j, STR("in"), json_int(a, (int64_t)run->io->bytes_in));
    if (run->io && run->io->bytes_out)
        json_add(a, j, STR("out"), json_int(a, (int64_t)run->io->bytes_out));
    if (run->tokens)
        json_add(a, j, STR("tokens"), json_int(a, run->tokens));
    if (report->output)
        json_add(a, j, STR("stdout"), json_cstring(a, report->output));
    if (errors_of(t))
        json_add(a, j, STR("stderr"), json_cstring(a, errors_of(t)));
}

void trial_text_json(struct cli *cli, const struct trial_text *t)
{
    struct arena *a = &cli->arena;
    struct json *j = json_object(a), *warnings = json_array(a);

    json_add(a, j, STR("hook"), json_cstring(a, hook_of(t)->name));
    json_add(a, j, STR("runner"), json_cstring(a, runner_kind_name(hook_of(t)->runner)));
    json_add(a, j, STR("point"), json_cstring(a, point_info(t->event->point)->name));
    if (t->mismatch)
        json_add(a, j, STR("mismatch"), json_cstring(a, t->mismatch));
    json_add(a, j, STR("outcome"), json_cstring(a, outcome_of(cli, t)));
    add_run(a, j, t);
    json_add(a, j, STR("verdict"), verdict_to_json(a, &t->receipt->verdict));
    for (size_t i = 0; i < t->receipt->warning_count; i++)
        json_push(a, warnings, json_cstring(a, t->receipt->warnings[i]));
    json_add(a, j, STR("warnings"), warnings);
    json_add(a, j, STR("state"), json_cstring(a, t->session ? "session" : "own"));
    cli_json(cli, j);
}
