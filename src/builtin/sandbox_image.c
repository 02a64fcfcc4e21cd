/* Which image the commands of a project run in. */
#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "builtin/sandbox.h"
#include "json/json.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 20)

/* By the first of these files that the project has. */
static const struct {
    const char *file, *image;
} kinds[] = {
    { "package.json", "node:22-bookworm-slim" },
    { "pyproject.toml", "python:3.12-slim" },
    { "requirements.txt", "python:3.12-slim" },
    { "setup.py", "python:3.12-slim" },
    { "go.mod", "golang:1-bookworm" },
    { "Cargo.toml", "rust:1-slim-bookworm" },
    { "Gemfile", "ruby:3-slim" },
    { "pom.xml", "maven:3-eclipse-temurin-21" },
    { "build.gradle", "gradle:8-jdk21" },
    { "composer.json", "composer:2" },
    { "CMakeLists.txt", "gcc:13" },
    { "Makefile", "gcc:13" },
};

static bool is_image(struct str name)
{
    if (name.len == 0 || name.len > 512 || !isalnum((unsigned char)name.ptr[0]))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!isalnum((unsigned char)name.ptr[i]) && !str_has_char("._-/:@", name.ptr[i]))
            return false;
    return true;
}

/* Without the comments and trailing commas that devcontainer.json may have. */
static char *plain_json(struct arena *a, struct str text)
{
    char *out = arena_cstr(a, json_edited(a, text, true).parsed);
    bool quoted = false;

    for (char *p = out; *p; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (quoted)
            p += *p == '\\' && p[1];
        else if (*p == ',' && str_has_char("]}", p[1 + strspn(p + 1, " \t\r\n")]))
            *p = ' ';
    }
    return out;
}

static const char *image_of_devcontainer(const struct sandbox *box)
{
    static const char *const files[] = { ".devcontainer/devcontainer.json", ".devcontainer.json" };
    struct arena *a = box->arena;
    const struct json *j;
    struct err e = { 0 };
    struct str text;

    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct str image;

        if (file_read(a, path_join(a, box->workspace, files[i]), FILE_MAX, &text, &e) < 0 ||
            json_parse(a, str_of(plain_json(a, text)), NULL, &j, &e) < 0)
            continue;
        image = json_str(a, json_get(j, STR("image")));
        if (is_image(image))
            return arena_cstr(a, image);
    }
    return NULL;
}

/* Of the first stage: what the others are built with. */
static const char *image_of_dockerfile(const struct sandbox *box)
{
    struct arena *a = box->arena;
    struct err e = { 0 };
    struct str rest, line;

    if (file_read(a, path_join(a, box->workspace, "Dockerfile"), FILE_MAX, &rest, &e) < 0)
        return NULL;
    while (str_cut(&rest, '\n', &line)) {
        struct str word;

        line = str_trim(line);
        if (line.len < 6 || strncasecmp(line.ptr, "FROM ", 5) != 0)
            continue;
        line = str_trim((struct str){ line.ptr + 5, line.len - 5 });
        while (str_cut(&line, ' ', &word) && (word.len == 0 || str_starts(word, STR("--"))))
            continue;
        return is_image(word) && !str_is(word, "scratch") ? arena_cstr(a, word) : NULL;
    }
    return NULL;
}

static const char *image_of_kind(const struct sandbox *box)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (access(path_join(box->arena, box->workspace, kinds[i].file), F_OK) == 0)
            return kinds[i].image;
    return "debian:stable-slim";
}

int sandbox_image(const struct sandbox *box, const char **image, struct err *e)
{
    const char *found = box->image;

    if (found && !is_image(str_of(found)))
        return err_set(e, -EINVAL, "'%s' is no name of an image", found);
    if (!found && box->workspace)
        found = image_of_devcontainer(box);
    if (!found && box->workspace)
        found = image_of_dockerfile(box);
    if (!found && box->workspace)
        found = image_of_kind(box);
    *image = found ? found : "debian:stable-slim";
    return 0;
}
