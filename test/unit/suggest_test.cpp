// Suggestions: edit distance against a recursive reference, and the choice of the nearest word.
// Distances are checked for all pairs of short words over a small alphabet.
#include "core/suggest.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace baton::core {
namespace {

int distance_naively(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) {
        return static_cast<int>(a.size() + b.size());
    }
    if (a.front() == b.front()) {
        return distance_naively(a.substr(1), b.substr(1));
    }
    return 1 + std::min({distance_naively(a.substr(1), b), distance_naively(a, b.substr(1)),
                         distance_naively(a.substr(1), b.substr(1))});
}

TEST(EditDistance, AllShortWordsAgainstTheReference) {
    std::vector<std::string> words{""};
    for (size_t i = 0; words[i].size() < 4; ++i) {
        for (const char letter : {'a', 'b', 'c'}) {
            words.push_back(words[i] + letter);
        }
    }
    for (const std::string &a : words) {
        for (const std::string &b : words) {
            ASSERT_EQ(edit_distance(a, b), distance_naively(a, b)) << a << " " << b;
        }
    }
}

TEST(EditDistance, Examples) {
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
    EXPECT_EQ(edit_distance("max_atempts", "max_attempts"), 1);
    EXPECT_EQ(edit_distance("jitter", "jitter"), 0);
}

TEST(EditDistance, LongWordsAreNotCompared) {
    const std::string longest(kSuggestMaxBytes, 'a');
    const std::string too_long(kSuggestMaxBytes + 1, 'a');
    EXPECT_EQ(edit_distance(longest, longest), 0);
    EXPECT_EQ(edit_distance(longest, ""), static_cast<int>(kSuggestMaxBytes));
    EXPECT_EQ(edit_distance(longest, std::string(kSuggestMaxBytes, 'b')),
              static_cast<int>(kSuggestMaxBytes));
    EXPECT_EQ(edit_distance(too_long, too_long), kFarApart);
    EXPECT_EQ(edit_distance("a", too_long), kFarApart);
    EXPECT_EQ(edit_distance(too_long, "a"), kFarApart);
}

constexpr std::array<std::string_view, 5> kSettings{"visibility_timeout", "max_attempts",
                                                    "max_elapsed", "jitter", "is"};

TEST(Nearest, FindsTheTypingMistake) {
    EXPECT_EQ(nearest("visibilty_timeout", kSettings), 0);
    EXPECT_EQ(nearest("max_atempt", kSettings), 1);
    EXPECT_EQ(nearest("maxelapsed", kSettings), 2);
    EXPECT_EQ(nearest("jitter", kSettings), 3);
    EXPECT_EQ(nearest("visibility_time", kSettings), 0); // 3 edits of 15 bytes
}

TEST(Nearest, NothingWhenNothingIsClose) {
    EXPECT_EQ(nearest("priority", kSettings), -1);
    EXPECT_EQ(nearest("jitterxxx", kSettings), 3);         // 3 edits of 9 bytes
    EXPECT_EQ(nearest("jitterxx", {&kSettings[3], 1}), 0); // 2 edits are always allowed
    EXPECT_EQ(nearest("jit", {&kSettings[3], 1}), -1);     // 3 of 3 are not
    EXPECT_EQ(nearest("", kSettings), -1);
    EXPECT_EQ(nearest("xy", kSettings), -1); // 2 edits, but nothing in common
    EXPECT_EQ(nearest("ix", kSettings), 4);
    EXPECT_EQ(nearest(std::string(100, 'a'), kSettings), -1);
    EXPECT_EQ(nearest("jitter", {}), -1);
}

TEST(Nearest, FirstOfEqualsWins) {
    constexpr std::array<std::string_view, 3> kNames{"abcx", "abcy", "abcd"};
    EXPECT_EQ(nearest("abcz", kNames), 0);
    EXPECT_EQ(nearest("abcd", kNames), 2);
}

TEST(Nearest, AThirdOfALongWordMayDiffer) {
    constexpr std::array<std::string_view, 1> kNames{"abcdefghijkl"};
    EXPECT_EQ(nearest("abcdefghXXXX", kNames), 0);
    EXPECT_EQ(nearest("abcdefgXXXXX", kNames), -1);
}

} // namespace
} // namespace baton::core
