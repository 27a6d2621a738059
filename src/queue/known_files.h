// Which storage file each segment has, as far as this backend has seen.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

/// The storage file that a segment had when it was last opened by this backend, so that the ready
/// map can be asked without opening it; InvalidOid if unknown. Forgotten when the relation changes.
pg::FileNumber known_file(Oid segment);
void remember_file(Oid segment, pg::FileNumber file);
void forget_files(Oid segment); // InvalidOid: all

} // namespace baton::queue
