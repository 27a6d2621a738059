// Checking and matching of topics.
// Positions are byte offsets of a word's start; one past the length means no word is left.
#include "core/topic.h"

#include <algorithm>

namespace baton::core {
namespace {

enum class Kind : uint8_t { kTopic, kPattern };

bool has_word(std::string_view text, size_t at) noexcept {
    return at <= text.size();
}

std::string_view word_at(std::string_view text, size_t at) noexcept {
    return {text.data() + at, std::min(text.find('.', at), text.size()) - at};
}

size_t next_word(std::string_view text, size_t at) noexcept {
    return at + word_at(text, at).size() + 1;
}

bool is_control(char letter) noexcept {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f;
}

TopicError check_word(std::string_view word, Kind kind) noexcept {
    if (word.empty()) {
        return TopicError::kEmptyWord;
    }
    if (std::any_of(word.begin(), word.end(), is_control)) {
        return TopicError::kControlCharacter;
    }
    if (word.find_first_of("*#") == std::string_view::npos) {
        return TopicError::kOk;
    }
    if (kind == Kind::kTopic) {
        return TopicError::kWildcard;
    }
    return word.size() == 1 ? TopicError::kOk : TopicError::kMixedWildcard;
}

TopicError check(std::string_view text, Kind kind) noexcept {
    if (text.empty()) {
        return TopicError::kEmpty;
    }
    if (text.size() > kTopicMaxBytes) {
        return TopicError::kTooLong;
    }
    for (size_t at = 0; has_word(text, at); at = next_word(text, at)) {
        const TopicError error = check_word(word_at(text, at), kind);
        if (error != TopicError::kOk) {
            return error;
        }
    }
    return TopicError::kOk;
}

} // namespace

TopicError check_topic(std::string_view topic) noexcept {
    return check(topic, Kind::kTopic);
}

TopicError check_pattern(std::string_view pattern) noexcept {
    return check(pattern, Kind::kPattern);
}

bool pattern_covers(std::string_view outer, std::string_view inner) noexcept {
    return topic_matches(outer, inner); // '#' is no word that '*' could stand for
}

bool topic_matches(std::string_view pattern, std::string_view topic) noexcept {
    size_t p = 0;
    size_t t = 0;
    // Only the last '#' seen needs to be tried again with one word more: if the words between an
    // earlier '#' and the last one were met early, meeting them later leaves less for the rest.
    bool has_hash = false;
    size_t after_hash = 0;
    size_t hash_until = 0;

    while (has_word(topic, t)) {
        if (has_word(pattern, p)) {
            const std::string_view word = word_at(pattern, p);
            if (word == "#") {
                p = next_word(pattern, p);
                has_hash = true;
                after_hash = p;
                hash_until = t;
                continue;
            }
            const std::string_view met = word_at(topic, t);
            if (word == met || (word == "*" && met != "#")) {
                p = next_word(pattern, p);
                t = next_word(topic, t);
                continue;
            }
        }
        if (!has_hash) {
            return false;
        }
        hash_until = next_word(topic, hash_until);
        t = hash_until;
        p = after_hash;
    }
    while (has_word(pattern, p) && word_at(pattern, p) == "#") {
        p = next_word(pattern, p);
    }
    return !has_word(pattern, p);
}

const char *describe(TopicError error) noexcept {
    switch (error) {
    case TopicError::kOk:
        return "is well formed";
    case TopicError::kEmpty:
        return "is empty";
    case TopicError::kEmptyWord:
        return "has an empty word";
    case TopicError::kTooLong:
        return "is longer than 255 bytes";
    case TopicError::kWildcard:
        return "contains a wildcard";
    case TopicError::kMixedWildcard:
        return "has a wildcard that is not a word of its own";
    case TopicError::kControlCharacter:
        return "contains a control character";
    }
    return "is malformed";
}

} // namespace baton::core
