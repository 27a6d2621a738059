// Random bits mapped evenly onto a range.
#pragma once

#include <cstdint>

namespace baton::core {

/// Maps 64 random bits evenly onto 0..limit, both ends included.
[[nodiscard]] constexpr uint64_t uniform_up_to(uint64_t limit, uint64_t random) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(random) * (static_cast<Wide>(limit) + 1)) >>
                                 64);
}

} // namespace baton::core
