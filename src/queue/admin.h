// The life of a queue: create, alter, drop, purge, and its subscriptions. Everything is checked for
// the caller, then done as the extension's owner.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"

namespace baton::queue {

/// False if it exists and `if_not_exists`; else 42P07. 42501 without the privilege to create
/// queues.
bool create_queue(text *name, Jsonb *settings, bool if_not_exists);
void alter_queue(text *name, Jsonb *changes);

/// 55006 if it holds messages or open dead letters or is subscribed, unless `force`.
void drop_queue(text *name, bool force);

/// Deletes all messages but, without `include_leased`, those that a consumer holds. Returns how
/// many.
int64_t purge_queue(text *name, bool include_leased);

enum class Cleared : uint8_t { kNothing, kOne, kBusy };

/// Drops what is left of one queue whose anchor was dropped, unless its segments are in use. For
/// the worker.
Cleared clear_remains();

void subscribe(text *pattern, text *queue);
bool unsubscribe(text *pattern, text *queue);

} // namespace baton::queue
