// The limit on the size of one message.
#pragma once

#include "pg/prelude.h"
#include "store/row.h"

namespace baton::queue {

/// Raises 54000 if the message could be stored but not come out again: in text form, as clients and
/// dumps read it, a row must stay under 1 GB. `position` (from 1) is the message's in its batch; 0
/// = none.
void check_size(const store::RowValues &row, int position);

} // namespace baton::queue
