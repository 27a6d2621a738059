// The worker's chores on chains: successors for full segments, turnover of dead ones, sweeps. One
// bounded bite a call, in the caller's transaction.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

/// Gives every queue whose current segment is full a successor. Returns how many got one.
int extend_chains();

/// Empties at most one segment. True if it did, or if another candidate may be free soon.
enum class Turnover : uint8_t { kNothing, kEmptied, kLater };
Turnover turn_over_one();

/// Looks again at blocks of one queue that the map believes dead, for rows that arrived unnoticed
/// (a trigger was disabled). Goes round the queues call by call; returns how many blocks had some.
int sweep_one();

} // namespace baton::queue
