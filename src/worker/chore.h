// A chore: one kind of recurring work of a database's worker, done in bounded units.
#pragma once

#include "pg/prelude.h"

namespace baton::worker {

/// What run() returns when it has nothing to do until it is woken.
constexpr int64_t kUntilWoken = std::numeric_limits<int64_t>::max();

struct Chore {
    const char *name; // under 24 bytes; shown in baton.workers, pg_stat_activity and error contexts
    uint32_t wakes_on; // shared::Work bits that make it due at once
    int64_t
        first_delay_us; // from the worker's start to the first unit; kUntilWoken: only when woken

    /// One unit, bounded in rows and time, inside a transaction of its own with an active snapshot
    /// and under a share lock on the extension. Returns after how many microseconds it wants to run
    /// again: 0 at once (the other chores that are due get their turn before), kUntilWoken only
    /// when woken. An ERROR undoes the unit; it is tried again after 1, 2, 4 ... 60 s, whoever
    /// wakes it.
    int64_t (*run)();
};

/// All chores, in the order in which those that are due get their turn.
std::span<const Chore> chores();

constexpr size_t kMaxChores = 16;

} // namespace baton::worker
