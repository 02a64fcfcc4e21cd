#include "agent/provider.h"

#include "base/file.h"
#include "base/path.h"
#include "base/vars.h"

#include <errno.h>

#define KEY_MAX 4096

#define PROVIDER(symbol) extern const struct provider_kind symbol##_provider;
#include "agent/provider.def"
#undef PROVIDER

static const struct provider_kind *const kinds[] = {
#define PROVIDER(symbol) &symbol##_provider,
#include "agent/provider.def"
#undef PROVIDER
};

int model_name_parse(struct arena *a, const char *text, struct model_name *out, struct err *e)
{
    const char *slash = strchr(text, '/');

    if (!slash || slash == text || !slash[1])
        return err_set(e, -EINVAL, "'%s' is no model: write 'provider/model'", text);
    out->provider = arena_cstr(a, (struct str){ text, (size_t)(slash - text) });
    out->model = arena_strdup(a, slash + 1);
    return 0;
}

static const struct provider_kind *find_kind(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_is(name, kinds[i]->name))
            return kinds[i];
    return NULL;
}

static int unknown(const struct setting *configured, const char *what, const char *name,
                   struct err *e)
{
    CLEANUP(strbuf) struct strbuf known = { 0 };

    for (const struct setting *s = configured ? configured->first : NULL; s; s = s->next)
        if (!find_kind(s->key))
            strbuf_printf(&known, "%s, ", s->key.ptr);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        strbuf_printf(&known, "%s%s", i ? ", " : "", kinds[i]->name);
    return err_set(e, -ENOENT, "unknown %s '%s': there are %s", what, name, strbuf_cstr(&known));
}

static const char *variable(const char *const *names)
{
    for (; names && *names; names++) {
        const char *value = vars_get(*names);

        if (value && value[0])
            return value;
    }
    return NULL;
}

static int read_key_file(struct arena *a, const struct setting *file, const char **key,
                         struct err *e)
{
    const char *path = path_join(a, path_dirname(a, file->origin.file), file->text.ptr);
    struct str text;
    int r = file_read(a, path, KEY_MAX, &text, e);

    if (r < 0)
        return err_wrap(e, r, "%s: the key", origin_text(a, &file->origin));
    *key = arena_cstr(a, str_trim(text));
    return 0;
}

/* A variable the configuration names, a file, then the variables people have anyway. */
static int find_key(struct arena *a, struct provider *p, struct err *e)
{
    const char *named = setting_word(p->settings, "key_variable");
    const struct setting *file = setting_get(p->settings, "key_file");
    int r = 0;

    if (named)
        p->key = vars_get(named);
    else if (file && file->kind == SETTING_STRING)
        r = read_key_file(a, file, &p->key, e);
    else
        p->key = variable(p->kind->key_variables);
    if (r == 0 && !p->key && p->kind->needs_key && !p->own_address)
        return err_set(e, -ENOKEY, "provider '%s' needs a key: set %s", p->name,
                       named ? named : p->kind->key_variables[0]);
    return r;
}

static void find_address(struct arena *a, struct provider *p)
{
    const char *own = setting_word(p->settings, "base_url");
    struct str url;

    if (!own)
        own = variable(p->kind->base_variables);
    p->own_address = own != NULL;
    url = str_of(own ? own : p->kind->base_url);
    while (url.len && url.ptr[url.len - 1] == '/')
        url.len--;
    p->base_url = arena_cstr(a, url);
}

int provider_identify(struct arena *a, const struct config *config, const char *name,
                      struct provider *out, struct err *e)
{
    const struct setting *configured = config ? config_get(config, "providers", NULL) : NULL;
    const struct setting *settings = setting_get(configured, name);
    const char *type = setting_word(settings, "type");

    *out = (struct provider){ .name = arena_strdup(a, name), .settings = settings };
    out->kind = find_kind(str_of(type ? type : name));
    if (!out->kind)
        return type ? unknown(NULL, "type of provider", type, e)
                    : unknown(configured, "provider", name, e);
    return 0;
}

int provider_open(struct arena *a, const struct config *config, const char *name,
                  struct http_client *http, struct provider *out, struct err *e)
{
    int r = provider_identify(a, config, name, out, e);

    if (r < 0)
        return r;
    out->http = http;
    find_address(a, out);
    r = find_key(a, out, e);
    if (r == 0 && out->kind->open)
        r = out->kind->open(out, a, e);
    return r;
}

void provider_close(struct provider *p)
{
    if (p->kind && p->kind->close)
        p->kind->close(p);
    *p = (struct provider){ 0 };
}

int provider_check_variant(const struct provider *p, const char *variant, struct err *e)
{
    CLEANUP(strbuf) struct strbuf known = { 0 };

    for (const char *const *v = p->kind->variants; v && *v; v++) {
        if (strcmp(*v, variant) == 0)
            return 0;
        strbuf_printf(&known, "%s%s", known.len ? ", " : "", *v);
    }
    if (!p->kind->variants)
        return 0;
    return err_set(e, -EINVAL, "provider '%s' knows no variant '%s': there are %s", p->name,
                   variant, strbuf_cstr(&known));
}

int provider_send(const struct model_exchange *x)
{
    *x->failure = (struct model_failure){ .retry_after_ms = -1 };
    *x->reply = (struct model_reply){ 0 };
    return x->provider->kind->send(x);
}
