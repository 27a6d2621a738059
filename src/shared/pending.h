// What the running transaction will have to tell the ready map when it ends: blocks it inserted
// into, deleted from, or emptied. Kept per backend; the end-of-transaction callbacks read it, touch
// only shared memory and cannot fail.
#pragma once

#include "pg/prelude.h"
#include "shared/queue_state.h"
#include "shared/ready_map.h"

namespace baton::shared {

/// Registers the transaction callbacks; called once per backend, from _PG_init.
void install_pending();

/// The transaction inserted `rows` messages into the blocks lo..hi: claimable at commit.
void note_inserted(const SegmentKey &key, uint32_t queue, uint32_t lo, uint32_t hi, uint64_t rows);

/// The transaction deleted `rows` messages of a block: claimable again if it aborts. With `is_last`
/// the block is worth a look after commit, since nothing is left in it.
void note_deleted(const SegmentKey &key, uint32_t queue, uint32_t block, uint16_t rows,
                  bool is_last);

/// A queue's storage is forgotten when this transaction commits (drop, purge by new storage) or
/// aborts (creation).
void note_forget_at_commit(const SegmentKey &key, uint32_t queue);

/// The transaction changed what those who wait on the queue go by: all of them look again at
/// commit.
void note_changed(uint32_t queue);

/// Work for the database's worker, given to it at commit.
void note_work(uint32_t work);

/// The transaction stored a message with a long delay, due at that time: the worker hears of it at
/// commit.
void note_later(int64_t due_at);

/// Remembers that this backend counts as a waiter of a queue, so that an error gives the place
/// back.
void note_waiting(const QueueKey &key);
void note_not_waiting();

} // namespace baton::shared
