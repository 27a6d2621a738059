// When a paused queue hands nothing out, and until when.
// A pause ends by itself: nobody has to do anything at its end.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace baton::core {

/// The end of a pause that lasts until somebody resumes the queue. As a timestamp of the server it
/// is "infinity", as a ready word kNever.
inline constexpr int64_t kUntilResumed = std::numeric_limits<int64_t>::max();

/// What is stored of a queue's pause; until is in microseconds on the scale of the clock.
struct Pause {
    bool is_set;
    int64_t until;
};

/// Whether nothing is handed out now. A pause whose end has come is none.
[[nodiscard]] constexpr bool is_paused(const Pause &pause, int64_t now) noexcept {
    return pause.is_set && pause.until > now;
}

/// The end of the pause that somebody asks for at `now`: without a time it lasts until resumed.
/// Nothing if that would be no pause, since the time is not ahead.
[[nodiscard]] constexpr std::optional<int64_t> pause_end(std::optional<int64_t> until,
                                                         int64_t now) noexcept {
    const int64_t end = until.value_or(kUntilResumed);
    if (end <= now) {
        return std::nullopt;
    }
    return end;
}

} // namespace baton::core
