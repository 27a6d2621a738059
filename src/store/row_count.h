// Counts the rows of a segment.
#pragma once

#include "pg/prelude.h"

namespace baton::store {

/// Committed rows from that block on that no commit has deleted yet.
int64_t count_rows(Relation relation, BlockNumber from);

} // namespace baton::store
