// What processes share of a queue: the condition variable that waiting receivers sleep on.
// A queue without a place here (shared memory is full) works; its waiters look once a second.
#pragma once

#include "pg/prelude.h"

namespace baton::shared {

struct QueueKey {
    Oid database;
    uint32_t queue;
    friend bool operator==(const QueueKey &, const QueueKey &) = default;
};

/// The queue of events waiting for the relay has this id in every database.
constexpr uint32_t kOutboxQueue = 0;

Size queue_states_size();
void request_queue_state_locks();
void init_queue_states(bool is_found);

/// The queue's condition variable, made if missing; nullptr without room. Stays valid while the
/// caller counts as a waiter (enter_wait .. leave_wait).
ConditionVariable *enter_wait(const QueueKey &key);
void leave_wait(const QueueKey &key);

/// Wakes up to `messages` waiters. Cannot fail: safe in commit and abort callbacks.
void signal_queue(const QueueKey &key, uint64_t messages);

/// Places taken, by queues that somebody waits for; there are baton.max_queues.
int64_t queue_states_used();

} // namespace baton::shared
