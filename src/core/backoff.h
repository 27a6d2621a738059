// How long a retry waits: a ceiling that doubles with every attempt, and jitter below it.
// All times are microseconds; randomness is passed in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace baton::core {

/// How the delay is drawn from its ceiling; the values are stored, so they never change.
enum class Jitter : uint8_t {
    kFull,  // anywhere from 0 to the ceiling
    kEqual, // half of the ceiling, and the other half at random
    kNone,  // the ceiling itself
};

/// The names users write, in the order of the enumerators.
inline constexpr std::array<std::string_view, 3> kJitterNames{"full", "equal", "none"};

/// Longest wait in microseconds after the given attempt (the first is 1):
/// min(cap, base * 2^(attempt - 1)). An attempt below 1 counts as 1, a negative base or cap as 0.
[[nodiscard]] int64_t backoff_ceiling(int64_t base, int64_t cap, int64_t attempt) noexcept;

/// A wait of 0..ceiling microseconds, drawn from 64 random bits. A negative ceiling counts as 0.
[[nodiscard]] int64_t backoff_delay(int64_t ceiling, Jitter jitter, uint64_t random) noexcept;

/// The jitter of that name (exact, lower case), or nothing.
[[nodiscard]] std::optional<Jitter> parse_jitter(std::string_view name) noexcept;

} // namespace baton::core
