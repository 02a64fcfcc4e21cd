/*
 * archive.h - a whole conversation as one JSON document, and back.
 *
 *     {"format":"hooke-conversation","version":1,
 *      "conversation":{"id":…,"title":…,"workspace":…,…,"created_ms":…,"updated_ms":…},
 *      "generations":[{"trigger":…,"at_ms":…,
 *                      "messages":[{"at_ms":…,"usage":{…},"cost":…,"message":{…}}]}]}
 *
 * Nothing is lost: the bytes of every message are those of the store, in both directions. A
 * document comes from outside, so what is read was checked: ids that can be names of files,
 * histories that can be sent. Memory comes from the arena; what was read borrows the text.
 */
#pragma once

#include "json/json.h"
#include "store/conversation.h"

struct archive {
    struct conversation about;
    struct conversation_part *parts;
    size_t count;
};

/* Everything of one conversation. */
MUST_CHECK int archive_load(struct store *s, const char *id, struct arena *a, struct archive *out,
                            struct err *e);

MUST_CHECK int archive_write(struct arena *a, const struct archive *archive, struct strbuf *out,
                             struct err *e);
MUST_CHECK int archive_read(struct arena *a, struct str text, struct archive *out, struct err *e);

/* What is known of a conversation besides its messages; also for lists. */
const struct json *archive_about(struct arena *a, const struct conversation *c);
