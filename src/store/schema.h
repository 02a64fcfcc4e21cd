/*
 * schema.h - the tables of the store, and how a file gets from any earlier version to this one.
 */
#pragma once

#include "store/db.h"

/*
 * Whether the file has all tables of this version. Changes nothing. -EPROTO: it belongs to a newer
 * hooke or to another program, and must be left alone.
 */
MUST_CHECK int schema_check(struct db *db, bool *current, struct err *e);

/* Bring the file up to date; safe when several processes do so at once. */
MUST_CHECK int schema_migrate(struct db *db, struct err *e);
