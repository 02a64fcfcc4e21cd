/*
 * recipe_body.h - the body of a recipe as a tree: text, {{values}}, {{if}} and {{range}}.
 * Internal to agent/recipe*.c.
 *
 *     r = recipe_body_parse(a, &(struct recipe_source){ text, "x.md", 7 }, &body, e);
 *
 * The language is the part of Go's text/template that prompts use. All of a body is checked when it
 * is parsed, branches that are not taken too. The tree borrows the text.
 */
#pragma once

#include "agent/recipe.h"

struct recipe_source {
    struct str text;
    const char *file; /* for messages */
    size_t line;      /* on which the text begins there */
};

enum recipe_expr_kind {
    EXPR_TEXT,     /* "text" */
    EXPR_ARGUMENT, /* .name */
    EXPR_ITEM,     /* . */
    EXPR_CALL,     /* function operand… */
};

/* In the order of the table in recipe_body.c. */
enum recipe_function {
    FUNCTION_DEFAULT,
    FUNCTION_BASH,
    FUNCTION_EQ,
    FUNCTION_NE,
    FUNCTION_NOT,
    FUNCTION_AND,
    FUNCTION_OR,
};

struct recipe_expr {
    enum recipe_expr_kind kind;
    enum recipe_function function;
    struct str text;                  /* the text, or the name of an argument, terminated */
    struct recipe_expr *first, *next; /* operands of a call; the next of the same call */
    struct json_place place;          /* in the file */
};

enum recipe_node_kind { NODE_TEXT, NODE_VALUE, NODE_IF, NODE_RANGE };

struct recipe_node {
    enum recipe_node_kind kind;
    struct str text;          /* of NODE_TEXT */
    struct recipe_expr *expr; /* of the others */
    bool has_else;
    struct recipe_node *first, *otherwise, *next;
};

struct recipe_body {
    struct recipe_node *first;
    const char **names; /* of arguments, each once */
    size_t name_count, name_room;
};

MUST_CHECK int recipe_body_parse(struct arena *a, const struct recipe_source *source,
                                 struct recipe_body *out, struct err *e);

/* The same of a recipe that was found. */
MUST_CHECK int recipe_parse(struct arena *a, const struct recipe *recipe, struct recipe_body *out,
                            struct err *e);

/* What messages call its file. */
const char *recipe_file_name(struct arena *a, const struct recipe *recipe);

/* recipe_front.c: front matter and body of a file. `problems`: for warnings; NULL: nobody hears. */
MUST_CHECK int recipe_read(struct arena *a, struct str text, struct recipe *out,
                           struct problems *problems, struct err *e);

/* Generated from recipes/: those that are built in, by name, ended by one without. */
struct recipe_builtin {
    const char *name;
    struct str text;
};
extern const struct recipe_builtin recipe_builtins[];
