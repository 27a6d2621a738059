// Unlogged queues: what they hold is counted and written down, so that it can be told how much a
// crash took.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

/// For the worker: if what is unlogged was lost since the last call, adds what was counted last to
/// what was lost, then counts anew. Returns how many unlogged queues there are. Linear in their
/// backlog.
int count_unlogged();

} // namespace baton::queue
