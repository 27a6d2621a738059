// Turnover: emptying a segment whose rows are dead to everybody, by giving it new storage.
#pragma once

#include "pg/prelude.h"

namespace baton::store {

enum class EmptyResult : uint8_t {
    kEmptied,
    kBusy,    // somebody holds or drops it; nothing was done, no lock was waited for
    kNotDead, // a row is alive, or dead but still seen by some snapshot
    kGone     // the relation does not exist
};

/// Empties the segment in the caller's transaction (a worker's own) if that needs no waiting.
/// Rules: every row dead to every snapshot, as the caller found by is_dead_to_all, checked again
/// under the lock; its TOAST table's lock
/// first, also only if free; new storage instead of truncation, since an index of a TOAST table
/// cannot be truncated crash-safely.
EmptyResult empty_segment(Oid relid, uint32_t queue);

/// True if every row of the relation is dead to every snapshot. Stops at the first that is not.
bool is_dead_to_all(Relation relation);

} // namespace baton::store
