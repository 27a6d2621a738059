// Notices that the clock was set back.

#include "core/lease_clock.h"
#include "shared/control.h"
#include "shared/ready_map.h"

namespace baton::shared {

void heed_clock(int64_t now) {
    std::atomic<int64_t> &latest = control().latest_clock;
    int64_t seen = latest.load(std::memory_order_relaxed);
    if (now > seen) {
        if (now - seen > core::kSecond) // seldom, since all receivers share it
            latest.compare_exchange_strong(seen, now);
        return;
    }
    if (seen - now <= core::kClockTolerance || !latest.compare_exchange_strong(seen, now))
        return;
    forget_segments_of(InvalidOid);
    ereport(LOG,
            (errmsg("baton: the clock was set back by about %d seconds",
                    static_cast<int>(std::min<int64_t>((seen - now) / core::kSecond, INT_MAX)))));
}

} // namespace baton::shared
