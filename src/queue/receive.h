// Receiving: claiming rows over the whole chain, waiting for some, and burying those that must not
// be delivered.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"
#include "store/claim.h"

namespace baton::queue {

struct ReceiveRequest {
    int max_messages;
    bool is_pop; // consumed if this transaction commits, retried with backoff if not
    std::optional<int64_t> visibility_timeout; // microseconds; else the message's or the queue's
    int64_t wait;                              // microseconds, already capped; 0 = do not wait
    text *consumer;                            // nullptr = unknown
    text *consumer_version;                    // nullptr = none
};

/// Gets each claimed message, with all columns in memory; the row is valid during the call.
using MessageSink = void (*)(const store::ClaimedRow &message, TupleDesc columns, void *argument);

/// Leases up to max_messages and hands them to `sink`. Waits if there are none; ends without any
/// before the time is up if something was buried on the way, so that the deletion does not stay
/// open. Raises 42704 if the queue is dropped meanwhile.
void receive(const QueueInfo &queue, const ReceiveRequest &request, MessageSink sink,
             void *sink_argument);

/// Waits until the queue may have something to receive. True if so, false after `wait`
/// microseconds.
bool wait_for_message(const QueueInfo &queue, int64_t wait);

} // namespace baton::queue
