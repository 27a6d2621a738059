// Cleaning and cutting of error texts.
// A UTF-8 character has at most three continuation bytes, so the cut moves back at most three.
#include "core/error_text.h"

#include <algorithm>

namespace baton::core {
namespace {

bool is_continuation(char letter) noexcept {
    return (static_cast<unsigned char>(letter) & 0xc0U) == 0x80U;
}

char without_control(char letter) noexcept {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f ? ' ' : letter;
}

/// How many bytes of a text longer than the limit to keep.
size_t cut_at(std::string_view text, size_t limit) noexcept {
    constexpr size_t kMaxContinuations = 3;
    size_t cut = limit;
    while (cut > 0 && limit - cut < kMaxContinuations && is_continuation(text[cut])) {
        --cut;
    }
    // Still inside a run of continuation bytes: not UTF-8, so one place is as good as another.
    return is_continuation(text[cut]) ? limit : cut;
}

} // namespace

size_t sanitise_error(std::string_view text, std::span<char> out) noexcept {
    const size_t length = text.size() <= out.size() ? text.size() : cut_at(text, out.size());
    std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), out.begin(),
                   without_control);
    return length;
}

} // namespace baton::core
