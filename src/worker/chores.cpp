// Which chores there are, what wakes them, and when they run first.

#include "worker/chores.h"

#include "shared/roster.h"

namespace baton::worker {
namespace {

constexpr int64_t kSecond = 1000000;

constexpr Chore kChores[] = {
    {"relay", shared::kWorkRelay | shared::kWorkSubscriptions, 0, relay_chore},
    {"extend", shared::kWorkExtend, 0, extend_chore},
    {"turnover", shared::kWorkTurnover, kSecond, turnover_chore},
    {"prepared", shared::kWorkPrepared, 0, prepared_chore},
    {"later", shared::kWorkDelayed, 0, later_chore},
    {"overdue", shared::kWorkOverdue, kSecond, overdue_chore},
    {"remains", shared::kWorkRemains, kUntilWoken, remains_chore},
    {"marks", 0, 5 * kSecond, marks_chore},
    {"unlogged", shared::kWorkUnlogged, 0, unlogged_chore},
    {"map", 0, 5 * kSecond, map_chore},
    {"sweep", 0, 60 * kSecond, sweep_chore},
};
static_assert(std::size(kChores) <= kMaxChores);

} // namespace

std::span<const Chore> chores() {
    return kChores;
}

} // namespace baton::worker
