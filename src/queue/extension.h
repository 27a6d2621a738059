// The extension's own objects in this database: where its tables are and who owns them.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

constexpr const char *kSchema = "baton";

/// Object ids; valid until the next invalidation message is accepted.
struct ExtensionIds {
    Oid schema;
    Oid owner; // of the extension: DDL and writes to its tables run as this role
    Oid queue;
    Oid queue_by_id;
    Oid queue_by_name;
    Oid segment;
    Oid segment_by_queue;
    Oid low_mark;
    Oid low_mark_by_segment;
    Oid subscription;
    Oid dead_letter;
    Oid dead_letter_sequence;
    Oid consumer;
    Oid topic_grant;
    Oid access; // the empty table that carries the privileges of baton.grant_baton
    Oid row_type;
};

/// Raises BT005 without preload and 42704 if the extension is not installed in this database.
const ExtensionIds &extension();

/// The columns of a message's row; valid until the next invalidation message is accepted.
TupleDesc row_type();

/// Whether the current role is a superuser or has the rights of the extension's owner.
bool is_administrator();

/// The id of a relation of the schema; InvalidOid if missing.
Oid relation_named(const char *name);

/// Counts up whenever queues, segments or subscriptions may have changed.
uint64_t catalog_version();

/// Registers for invalidation messages; called once per backend.
void watch_catalog();

/// Acts as the extension's owner until leave (errors restore the role by themselves).
struct Identity {
    Oid role;
    int context;
};
Identity become_owner();
Identity become(Oid role);
void leave(const Identity &previous);

} // namespace baton::queue
