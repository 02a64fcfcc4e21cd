/*
 * provider.h - who answers: a model behind some API, asked one request at a time.
 *
 *     r = provider_open(a, config, "anthropic", http, &p, e);
 *     r = provider_send(&(struct model_exchange){ &p, a, &request, &stream, &reply, &failure });
 *
 * A model is named `provider/model`. Requests and replies are provider-neutral (agent/message.h);
 * src/agent/provider_<name>.c translates. A failure is data: its class says what can be done about
 * it (agent/failure.h). Nothing here prints, and a key is in no message.
 */
#pragma once

#include "agent/failure.h"
#include "hook/config.h"
#include "hook/usage.h"
#include "net/http.h"

struct model_request {
    const char *model;           /* as the provider calls it */
    const struct json *system;   /* a list of texts; NULL: none */
    const struct json *messages; /* agent/message.h */
    const struct json *tools;    /* [{name, description, parameters}]; NULL: none */
    bool no_calls;               /* tools are there to be understood, none may be called */
    const struct json *params;   /* temperature, top_p, top_k, max_output_tokens; NULL: none */
    const struct json *headers;  /* further ones, names and values; NULL: none */
    const char *variant;         /* how hard to think; NULL: as the model does */
    const char *session;         /* requests of one session share what is cached */
    int abort_fd;                /* readable or hung up: give up now; 0: none */
};

/* What arrives while it arrives, for the one who watches. None of it is final. May be NULL. */
struct model_stream {
    void *context;
    void (*text)(void *context, struct str piece);
    void (*reasoning)(void *context, struct str piece);
    void (*tool)(void *context, const char *tool);
};

enum model_stop { MODEL_DONE, MODEL_TOOLS, MODEL_LENGTH, MODEL_REFUSED };

struct model_reply {
    const struct json *message; /* role assistant; calls have args that are objects */
    enum model_stop stop;
    struct usage usage; /* without context and window */
};

struct provider;

/* One request and what comes of it: the reply, or on failure why. */
struct model_exchange {
    const struct provider *provider;
    struct arena *arena; /* of reply and failure */
    const struct model_request *request;
    const struct model_stream *stream; /* NULL: nobody watches */
    struct model_reply *reply;
    struct model_failure *failure;
};

/* What a kind of provider is; one in each provider_<name>.c. */
struct provider_kind {
    const char *name;
    const char *base_url;
    const char *const *base_variables; /* that may hold another; ended by NULL */
    const char *const *key_variables;
    const char *const *variants; /* ended by NULL */
    bool needs_key;
    /* Where there is more to set up than an address and a key. May be NULL. */
    int (*open)(struct provider *p, struct arena *a, struct err *e);
    void (*close)(struct provider *p);
    int (*send)(const struct model_exchange *x);
};

/* A provider that is set up: a kind with an address and a key. */
struct provider {
    const struct provider_kind *kind;
    const char *name;
    const char *base_url;           /* without a slash at its end */
    const char *key;                /* NULL: none */
    bool own_address;               /* not the kind's usual one: only what everybody speaks */
    const struct setting *settings; /* `providers.NAME`; NULL: there are none */
    struct http_client *http;
    void *own; /* the kind's */
};

struct model_name {
    const char *provider, *model;
};

/* Cut "provider/model"; the model may have slashes of its own. */
MUST_CHECK int model_name_parse(struct arena *a, const char *text, struct model_name *out,
                                struct err *e);

/* Which one a name means; it cannot be sent anything, and has nothing to close. */
MUST_CHECK int provider_identify(struct arena *a, const struct config *config, const char *name,
                                 struct provider *out, struct err *e);

/*
 * The provider of that name: one that the configuration describes (`providers.NAME` with a `type`),
 * or a kind by its own name. The error names those there are.
 */
MUST_CHECK int provider_open(struct arena *a, const struct config *config, const char *name,
                             struct http_client *http, struct provider *out, struct err *e);
void provider_close(struct provider *p);

/* Whether the provider knows the variant; the error names those it knows. */
MUST_CHECK int provider_check_variant(const struct provider *p, const char *variant, struct err *e);

/* Negative: the failure says why; the request had no effect that lasts. */
MUST_CHECK int provider_send(const struct model_exchange *x);
