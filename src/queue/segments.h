// Creating, adding and retiring segments of a chain: catalog rows and tables, through SQL as the
// extension's owner.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

/// Gives the queue one more segment at the end of its chain: a spare one if there is, else a new
/// table owned by `owner`. Takes effect at commit. The caller has the identity of the extension's
/// owner and an open SqlSession.
void add_segment(uint32_t queue, Oid owner);

/// The outbox's first segment, made in the transaction of the first publish; later calls find it.
void ensure_outbox();

/// Segments of a queue that became empty are kept as spares up to this number, then dropped.
constexpr int kMostSpares = 2;

/// Takes an emptied segment out of the chain: it becomes a spare or is dropped. As add_segment.
void retire_segment(uint32_t queue, int32_t slot);

} // namespace baton::queue
