/*
 * message.h - the messages of a conversation, the same for every provider.
 *
 * A message is a JSON value, because hooks read and change it, the store keeps it and providers
 * translate it, all without another form in between:
 *
 *     {"id":"01J…","role":"user","internal":true,"content":[ parts ]}
 *
 * Roles: user, assistant, tool (the results of the calls before it). Parts:
 *
 *     {"type":"text","text":…}                    also "synthetic", "tag" (hook/inject.h)
 *     {"type":"reasoning","text":…}
 *     {"type":"tool_call","call_id":…,"tool":…,"args":{…}}
 *     {"type":"tool_result","call_id":…,"tool":…,"output":…,"success":true}
 *     {"type":"file","media_type":…,"data":base64,"name":…}
 *
 * Any part may have "native": {provider: {…}}, what that provider must be sent back with it. A
 * content that is a plain text stands for one text part.
 */
#pragma once

#include "json/json.h"

struct str message_role(struct arena *a, const struct json *message);
bool message_is(const struct json *message, const char *role);

/* Its parts, whatever form its content has: an array. */
const struct json *message_parts(struct arena *a, const struct json *message);
bool message_part_is(const struct json *part, const char *type);

/* All its text parts, joined by blank lines; synthetic ones left out. */
char *message_text(struct arena *a, const struct json *message);

/* A message with one text part. `id` NULL: none. */
const struct json *message_new(struct arena *a, const char *role, const char *id,
                               const struct json *parts);
const struct json *message_of_text(struct arena *a, const char *role, const char *id,
                                   const char *text);

const struct json *message_text_part(struct arena *a, struct str text);
const struct json *message_result_part(struct arena *a, const struct json *call,
                                       const struct json *output, bool success);

/* What it takes of a context, where no provider has counted: four bytes are a token. */
int64_t message_tokens(const struct json *message);

/*
 * Whether messages can be a history: known roles, contents that are not empty, parts with what
 * their type needs, every tool result after its call and every call with its result. `e` names the
 * message.
 */
MUST_CHECK int message_check_history(const struct json *messages, struct err *e);

/* The same, and an answer expected at the end: it can be sent. */
MUST_CHECK int message_check(const struct json *messages, struct err *e);
