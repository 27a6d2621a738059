// The numbers of all queues of the database.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

struct QueueIds {
    uint32_t *ids;
    int count;
};

/// All queues and the outbox, in ascending order, in the current memory context.
QueueIds all_queues();

} // namespace baton::queue
