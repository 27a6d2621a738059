// Backoff arithmetic.
// The ceiling never overflows: the cap is shifted down instead of the base up.
#include "core/backoff.h"

#include <algorithm>
#include <cstddef>

#include "core/uniform.h"

namespace baton::core {
namespace {

int64_t draw(int64_t limit, uint64_t random) noexcept {
    return static_cast<int64_t>(uniform_up_to(static_cast<uint64_t>(limit), random));
}

} // namespace

int64_t backoff_ceiling(int64_t base, int64_t cap, int64_t attempt) noexcept {
    if (base <= 0 || cap <= 0) {
        return 0;
    }
    if (attempt <= 1) {
        return std::min(base, cap);
    }
    const int64_t doublings = attempt - 1;
    if (doublings >= 63 || base > (cap >> doublings)) {
        return cap;
    }
    return base << doublings;
}

int64_t backoff_delay(int64_t ceiling, Jitter jitter, uint64_t random) noexcept {
    const int64_t limit = std::max<int64_t>(ceiling, 0);
    switch (jitter) {
    case Jitter::kFull:
        return draw(limit, random);
    case Jitter::kEqual:
        return limit / 2 + draw(limit - limit / 2, random);
    case Jitter::kNone:
        break;
    }
    return limit;
}

std::optional<Jitter> parse_jitter(std::string_view name) noexcept {
    for (size_t i = 0; i < kJitterNames.size(); ++i) {
        if (kJitterNames[i] == name) {
            return static_cast<Jitter>(i);
        }
    }
    return std::nullopt;
}

} // namespace baton::core
