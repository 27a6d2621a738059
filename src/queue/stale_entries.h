// The ready map's entries of storage files that are gone. Who empties or drops a segment forgets
// its file; a creation that was rolled back, a rewrite or a truncation by hand leave theirs behind.
#pragma once

namespace baton::queue {

/// Forgets them. Files of transactions that still run may be among them: that costs a look at their
/// pages, no more.
void forget_stale_entries();

} // namespace baton::queue
