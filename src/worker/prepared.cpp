// The chore that notices the end of prepared transactions, which no callback tells: it looks often,
// but only while there are some.

#include "shared/prepared.h"

#include "worker/chores.h"

namespace baton::worker {

int64_t prepared_chore() {
    constexpr int64_t kPause = 50000;
    return shared::resolve_prepared() > 0 ? kPause : kUntilWoken;
}

} // namespace baton::worker
