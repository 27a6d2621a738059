// Burying: rows that a receive found and must not deliver go to the dead letters, in the caller's
// transaction.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"
#include "store/claim.h"

namespace baton::queue {

/// Moves the rows to the dead letters, each unless somebody settled or leased it meanwhile.
void bury_found(std::span<store::BuryRow> rows);

} // namespace baton::queue
