/*
 * yaml.h - YAML 1.2 as a tree of nodes that know where they stand (libfyaml underneath).
 *
 *     r = yaml_parse(&arena, text, &root, &bad, e);
 *     if (r < 0)
 *         report("%s:%u:%u: %s", file, bad.line, bad.column, e->msg);
 *
 * The tree lives in the arena. Anchors, aliases and tags are resolved or refused while parsing, so
 * a user of the tree meets only these four kinds. Sizes are capped: a document that expands beyond
 * YAML_MAX_NODES is an error.
 *
 * Known fault of the library: a folded block (>) loses an empty line before a line that is indented
 * further.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define YAML_MAX_BYTES ((size_t)4 << 20)
#define YAML_MAX_NODES 200000u
#define YAML_MAX_DEPTH 64u

enum yaml_kind { YAML_NULL, YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_place {
    unsigned line, column; /* from 1 */
};

struct yaml_node {
    enum yaml_kind kind;
    bool quoted;     /* a scalar in quotes or a block: a string, whatever it looks like */
    struct str text; /* of a scalar, decoded and terminated */
    struct str key;  /* when it is a member of a map, decoded and terminated */
    struct yaml_place place, key_place;
    struct yaml_node *first, *next; /* children; the next of the same parent */
};

/* An empty document gives a YAML_NULL node. A repeated key is an error. */
MUST_CHECK int yaml_parse(struct arena *a, struct str text, struct yaml_node **root,
                          struct yaml_place *bad, struct err *e);
