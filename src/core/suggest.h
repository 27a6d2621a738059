// The nearest known word to a misspelt one, for hints in error messages.
// Works on bytes; long words are not compared, so the cost is bounded.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace baton::core {

inline constexpr size_t kSuggestMaxBytes = 64;

/// The distance of words that are too long to be compared: larger than any real one.
inline constexpr int kFarApart = 1000;

/// Single-byte insertions, deletions and replacements that turn a into b (Levenshtein), or
/// kFarApart if either is longer than kSuggestMaxBytes.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b) noexcept;

/// Index of the candidate nearest to word, the first one of equals, or -1 if none is close: at most
/// max(2, a third of the word's bytes) edits, and at least one byte in common with the word.
[[nodiscard]] int nearest(std::string_view word,
                          std::span<const std::string_view> candidates) noexcept;

} // namespace baton::core
