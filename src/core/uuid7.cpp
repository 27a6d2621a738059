// Making of version 7 identifiers.
// A counter starts in the lower half of its range, so at least 2048 fit into a millisecond.
#include "core/uuid7.h"

#include <algorithm>

namespace baton::core {
namespace {

constexpr int64_t kMaxMs = (int64_t{1} << 48) - 1;
constexpr uint32_t kMaxCounter = 0xfff;
constexpr uint64_t kSeedMask = 0x7ff;

void put_big_endian(uint8_t *at, uint64_t value) noexcept {
    for (int shift = 56; shift >= 0; shift -= 8) {
        *at++ = static_cast<uint8_t>(value >> shift);
    }
}

} // namespace

Uuid Uuid7Generator::next(int64_t unix_ms, uint64_t random_a, uint64_t random_b) noexcept {
    const int64_t now_ms = std::clamp<int64_t>(unix_ms, 0, kMaxMs);
    if (now_ms <= last_ms_ && counter_ < kMaxCounter) {
        ++counter_;
    } else {
        last_ms_ = std::min(std::max(now_ms, last_ms_ + 1), kMaxMs);
        counter_ = static_cast<uint32_t>(random_a & kSeedMask);
    }
    constexpr uint64_t kVersion = 0x7;
    constexpr uint64_t kVariant = 0x2;
    constexpr uint64_t kRandomMask = (uint64_t{1} << 62) - 1;
    Uuid uuid{};
    put_big_endian(uuid.bytes.data(),
                   static_cast<uint64_t>(last_ms_) << 16 | kVersion << 12 | counter_);
    put_big_endian(uuid.bytes.data() + 8, kVariant << 62 | (random_b & kRandomMask));
    return uuid;
}

} // namespace baton::core
