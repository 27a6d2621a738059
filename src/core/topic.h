// Topics and subscription patterns: what is well formed, and which pattern meets which topic.
// A topic is words joined by dots; in a pattern '*' is exactly one word, '#' any number of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace baton::core {

inline constexpr size_t kTopicMaxBytes = 255;

/// What is wrong with a topic or a pattern.
enum class TopicError : uint8_t {
    kOk,
    kEmpty,
    kEmptyWord,
    kTooLong,
    kWildcard,         // '*' or '#' in a topic
    kMixedWildcard,    // '*' or '#' beside other characters in a word of a pattern
    kControlCharacter, // a byte below 0x20, or 0x7f
};

/// Whether the text may be published to. Returns the first error found, or kOk.
[[nodiscard]] TopicError check_topic(std::string_view topic) noexcept;

/// Whether the text may be subscribed with. Returns the first error found, or kOk.
[[nodiscard]] TopicError check_pattern(std::string_view pattern) noexcept;

/// Whether a checked pattern meets a checked topic, compared byte by byte. Takes at most
/// (words of the pattern * words of the topic) steps, wherever the wildcards stand.
[[nodiscard]] bool topic_matches(std::string_view pattern, std::string_view topic) noexcept;

/// Whether every topic that meets the checked pattern `inner` meets `outer` too. False for some
/// patterns that are covered in a roundabout way: "*.#" and "#.*".
[[nodiscard]] bool pattern_covers(std::string_view outer, std::string_view inner) noexcept;

/// The error as words that follow 'topic "..."' or 'pattern "..."'.
[[nodiscard]] const char *describe(TopicError error) noexcept;

} // namespace baton::core
