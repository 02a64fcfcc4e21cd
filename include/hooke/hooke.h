/*
 * hooke.h - the lifecycle-hook engine as a library.
 *
 *     struct hooke *h = hooke_open(&(struct hooke_options){ 0 }, &error);
 *     hooke_load(h, NULL, &error);
 *     hooke_emit(h, &(struct hooke_event){ .point = "tool.execute.before", .session = "s1",
 *                .data = "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}" }, &result, &error);
 *     if (result.decision == HOOKE_BLOCK) …
 *     hooke_result_release(&result);
 *     hooke_close(h);
 *
 * Functions return 0 or a negative errno; on failure `error`, which may be NULL, holds one line. A
 * handle may be used by several threads at once. Strings are copied; JSON is UTF-8 text.
 */
#ifndef HOOKE_HOOKE_H
#define HOOKE_HOOKE_H

#ifdef __cplusplus
extern "C" {
#endif

#define HOOKE_API __attribute__((visibility("default")))

struct hooke;

struct hooke_error {
    char message[512];
};

struct hooke_options {
    const char *cwd;      /* NULL: the process's */
    const char *store;    /* file for session state; NULL: the user's; "memory": none */
    const char *receipts; /* folder; NULL: the user's; "": none are written */
    int all_builtins;     /* use every built-in hook that is on by default */
    void (*log)(void *context, const char *line); /* warnings; may be called by any thread */
    void *log_context;
};

HOOKE_API struct hooke *hooke_open(const struct hooke_options *options, struct hooke_error *error);
HOOKE_API void hooke_close(struct hooke *h);
HOOKE_API const char *hooke_version(void);

/*
 * Load configuration: `path`, or with NULL the files `hooke config path` lists. Bad entries are
 * skipped and said in the log. With `strict: true` they fail the call.
 */
HOOKE_API int hooke_load(struct hooke *h, const char *path, struct hooke_error *error);

/* Use a built-in hook by name. */
HOOKE_API int hooke_use(struct hooke *h, const char *builtin, struct hooke_error *error);

/* A hook of your own ------------------------------------------------------------------------- */

enum hooke_layer {
    HOOKE_GUARD,
    HOOKE_PRODUCE,
    HOOKE_TRANSFORM,
    HOOKE_CONSUME,
    HOOKE_VALIDATE,
    HOOKE_OBSERVE,
};

struct hooke_answer;

/*
 * Called with the event as JSON. Say something with hooke_answer_json(); saying nothing is no
 * opinion. A non-zero return is a failed run, `error` may say why.
 */
typedef int hooke_hook_fn(void *context, const char *event, struct hooke_answer *answer,
                          struct hooke_error *error);

struct hooke_hook {
    const char *name;
    const char *point; /* or a foreign event name that stands for one */
    enum hooke_layer layer;
    int priority;        /* higher first */
    int safety_critical; /* its failure blocks */
    hooke_hook_fn *run;
    void *context;
};

HOOKE_API int hooke_register(struct hooke *h, const struct hooke_hook *hook,
                             struct hooke_error *error);

/* A verdict: {"decision":"block","reason":"…"}. It is copied. */
HOOKE_API void hooke_answer_json(struct hooke_answer *answer, const char *verdict);

/* Events ------------------------------------------------------------------------------------- */

struct hooke_event {
    const char *point;   /* or a foreign event name that stands for one */
    const char *session; /* required */
    const char *parent;  /* of a subagent's session */
    const char *agent;
    const char *recipe;
    const char *cwd;
    unsigned turn;
    const char *usage; /* a JSON object: what the session has used; NULL: not known */
    const char *data;  /* a JSON object; NULL: {} */
    int abort_fd;      /* readable or hung up: end the running hook, start no other; 0: none */
};

enum hooke_decision { HOOKE_NONE, HOOKE_ALLOW, HOOKE_ASK, HOOKE_BLOCK };

struct hooke_result {
    enum hooke_decision decision;
    int stop;      /* the run must end */
    char *verdict; /* the merged verdict as JSON, "{}" when nobody had an opinion */
    char *data;    /* the event's data as the chain left it */
    char *receipt; /* what every hook did */
};

HOOKE_API int hooke_emit(struct hooke *h, const struct hooke_event *event,
                         struct hooke_result *result, struct hooke_error *error);
HOOKE_API void hooke_result_release(struct hooke_result *result);

/* The cadence configured for a hook at a point: every how many times it fires. -ENOENT: no such. */
HOOKE_API int hooke_cadence(struct hooke *h, const char *hook, const char *point,
                            struct hooke_error *error);

#ifdef __cplusplus
}
#endif

#endif
