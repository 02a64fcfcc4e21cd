/*
 * conversation_text.h - a stored conversation for people: as it looks at the terminal, or as
 * Markdown. Tool calls are one line each; what hooks added unseen and what the model thought is
 * left out.
 */
#pragma once

#include "cli/cli.h"
#include "store/conversation.h"

/* `rows` are messages of the generation `generation` of it. */
void conversation_print(struct cli *cli, const struct conversation *c, uint32_t generation,
                        const struct conversation_message *rows, size_t count);
void conversation_markdown(struct cli *cli, const struct conversation *c,
                           const struct conversation_message *rows, size_t count);
