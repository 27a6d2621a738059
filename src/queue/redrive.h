// Redrive: dead letters go back into a queue as the same messages, in a new round.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"

namespace baton::queue {

/// Sends the open dead letters with these ids (an array of uuid) back to the queue, in the caller's
/// transaction. Each keeps id, key, headers and all else; its round goes up and its attempts start
/// anew. Letters that are not open are passed over, so that twice is once. Returns how many went.
int64_t redrive(const QueueInfo &queue, Datum ids);

} // namespace baton::queue
