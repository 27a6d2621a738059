// Low marks in a table. Shared memory is empty after a restart, and segments whose rows are dead
// but not yet to every snapshot can be many: without the marks the first receive would read them
// all. Protocol: a mark is written after the deletions that it tells of were committed, so its WAL
// record comes after theirs and no crash can keep it without them. It holds for one storage file.
// It is raised only where no row can come below it any more, since what lowers a mark in memory
// does not outlive a crash: in a segment that has a successor and that no transaction holds. Who
// locks it from then on sees the successor and appends there.
#pragma once

#include "pg/prelude.h"
#include "shared/ready_map.h"
#include "store/segment.h"

namespace baton::queue {

/// What the map knows of the segment; one that it does not know starts with the written mark.
shared::SegmentView view_segment(const store::Segment &segment);

/// Writes the marks that have been lowered, or raised by a megabyte or more, since they were
/// written, in the caller's transaction. Unlogged segments have none, since a crash empties their
/// file and leaves its number. Returns how many were written.
int write_low_marks();

/// The caller has the identity of the extension's owner and an open SqlSession.
void forget_low_mark(Oid segment);

} // namespace baton::queue
