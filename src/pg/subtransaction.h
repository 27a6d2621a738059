// A subtransaction that a function may have to take back without raising an error.
#pragma once

#include "pg/prelude.h"

namespace baton::pg {

struct Subtransaction {
    MemoryContext memory;
    ResourceOwner owner;
};

/// Begins one; the current memory context stays. An error aborts it with its parent.
inline Subtransaction begin_subtransaction() {
    Subtransaction saved = {CurrentMemoryContext, CurrentResourceOwner};
    BeginInternalSubTransaction(nullptr);
    MemoryContextSwitchTo(saved.memory);
    return saved;
}

/// Keeps or takes back what was done since.
inline void end_subtransaction(const Subtransaction &saved, bool is_kept) {
    if (is_kept)
        ReleaseCurrentSubTransaction();
    else
        RollbackAndReleaseCurrentSubTransaction();
    MemoryContextSwitchTo(saved.memory);
    CurrentResourceOwner = saved.owner;
}

} // namespace baton::pg
