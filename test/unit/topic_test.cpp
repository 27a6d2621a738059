// Topics: what is well formed, and matching against a naive recursive reference.
// Matching is tried on all short patterns and topics, and on random longer ones.
#include "core/topic.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/uniform.h"
#include "random.h"

namespace baton::core {
namespace {

using Words = std::vector<std::string>;

std::string joined(const Words &words) {
    std::string text;
    for (size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : ".") + words[i];
    }
    return text;
}

bool matches_naively(const Words &pattern, size_t p, const Words &topic, size_t t) {
    if (p == pattern.size()) {
        return t == topic.size();
    }
    if (pattern[p] == "#") {
        return matches_naively(pattern, p + 1, topic, t) ||
               (t < topic.size() && matches_naively(pattern, p, topic, t + 1));
    }
    return t < topic.size() && (pattern[p] == "*" || pattern[p] == topic[t]) &&
           matches_naively(pattern, p + 1, topic, t + 1);
}

void add_all(std::vector<Words> &all, const Words &letters, size_t longest, const Words &start) {
    if (!start.empty()) {
        all.push_back(start);
    }
    if (start.size() == longest) {
        return;
    }
    for (const std::string &letter : letters) {
        Words longer = start;
        longer.push_back(letter);
        add_all(all, letters, longest, longer);
    }
}

TEST(TopicMatches, AllShortOnesAgainstTheReference) {
    std::vector<Words> patterns;
    std::vector<Words> topics;
    add_all(patterns, {"a", "bb", "*", "#"}, 5, {});
    add_all(topics, {"a", "bb", "c"}, 5, {});
    for (const Words &pattern : patterns) {
        const std::string pattern_text = joined(pattern);
        for (const Words &topic : topics) {
            ASSERT_EQ(topic_matches(pattern_text, joined(topic)),
                      matches_naively(pattern, 0, topic, 0))
                << pattern_text << " on " << joined(topic);
        }
    }
}

TEST(TopicMatches, RandomOnesAgainstTheReference) {
    const Words letters{"a", "b", "ab", "a", "b", "*", "#"};
    Random random(5);
    int matched = 0;
    for (int i = 0; i < 100000; ++i) {
        Words pattern(1 + uniform_up_to(8, random.next()));
        Words topic(1 + uniform_up_to(11, random.next()));
        for (std::string &word : pattern) {
            word = letters[uniform_up_to(6, random.next())];
        }
        for (std::string &word : topic) {
            word = letters[uniform_up_to(2, random.next())];
        }
        const bool expected = matches_naively(pattern, 0, topic, 0);
        matched += expected ? 1 : 0;
        ASSERT_EQ(topic_matches(joined(pattern), joined(topic)), expected)
            << joined(pattern) << " on " << joined(topic);
    }
    EXPECT_GT(matched, 5000); // both outcomes were really tried
    EXPECT_LT(matched, 95000);
}

TEST(TopicMatches, Examples) {
    EXPECT_TRUE(topic_matches("order.created", "order.created"));
    EXPECT_FALSE(topic_matches("order.created", "order.createdx"));
    EXPECT_FALSE(topic_matches("order.created", "order"));
    EXPECT_FALSE(topic_matches("order", "order.created"));
    EXPECT_TRUE(topic_matches("order.*", "order.created"));
    EXPECT_FALSE(topic_matches("order.*", "order"));
    EXPECT_FALSE(topic_matches("order.*", "order.eu.created"));
    EXPECT_TRUE(topic_matches("order.#", "order"));
    EXPECT_TRUE(topic_matches("order.#", "order.eu.created"));
    EXPECT_TRUE(topic_matches("#.created", "created"));
    EXPECT_TRUE(topic_matches("#.eu.#", "order.eu.created"));
    EXPECT_TRUE(topic_matches("*.#.*", "a.b"));
    EXPECT_FALSE(topic_matches("*.#.*", "a"));
    EXPECT_TRUE(topic_matches("#", "anything.at.all"));
    EXPECT_FALSE(topic_matches("Order", "order"));
}

TEST(PatternCovers, OnlyWhatReallyIsCovered) {
    std::vector<Words> patterns;
    std::vector<Words> topics;
    add_all(patterns, {"a", "b", "*", "#"}, 3, {});
    add_all(topics, {"a", "b", "c"}, 5, {});
    int covered = 0;
    for (const Words &outer : patterns) {
        for (const Words &inner : patterns) {
            if (!pattern_covers(joined(outer), joined(inner))) {
                continue;
            }
            ++covered;
            for (const Words &topic : topics) {
                ASSERT_LE(matches_naively(inner, 0, topic, 0), matches_naively(outer, 0, topic, 0))
                    << joined(outer) << " over " << joined(inner) << " on " << joined(topic);
            }
        }
    }
    EXPECT_GT(covered, 500);
}

TEST(PatternCovers, Examples) {
    EXPECT_TRUE(pattern_covers("#", "#"));
    EXPECT_TRUE(pattern_covers("#", "order.*.x"));
    EXPECT_TRUE(pattern_covers("order.#", "order.*"));
    EXPECT_TRUE(pattern_covers("order.#", "order.eu.#"));
    EXPECT_TRUE(pattern_covers("order.*", "order.*"));
    EXPECT_TRUE(pattern_covers("order.*", "order.created"));
    EXPECT_FALSE(pattern_covers("order.*", "order.#"));
    EXPECT_FALSE(pattern_covers("order.created", "order.*"));
    EXPECT_FALSE(pattern_covers("*", "#"));
    EXPECT_FALSE(pattern_covers("order.#", "#"));
}

TEST(TopicMatches, WorstPatternsAreCheap) {
    // A backtracking matcher would need longer than the age of the universe for these.
    std::string topic = "a";
    std::string pattern = "#.a";
    while (topic.size() + 2 <= kTopicMaxBytes) {
        topic += ".a";
    }
    while (pattern.size() + 6 <= kTopicMaxBytes) {
        pattern += ".#.a";
    }
    ASSERT_EQ(check_topic(topic), TopicError::kOk);
    ASSERT_EQ(check_pattern(pattern), TopicError::kOk);
    EXPECT_TRUE(topic_matches(pattern, topic));
    EXPECT_FALSE(topic_matches(pattern + ".b", topic));
}

TEST(TopicMatches, UncheckedTextIsHarmless) {
    EXPECT_TRUE(topic_matches("", ""));
    EXPECT_TRUE(topic_matches("#", ""));
    EXPECT_TRUE(topic_matches("*", ""));
    EXPECT_FALSE(topic_matches("a", ""));
    EXPECT_FALSE(topic_matches("", "a"));
    EXPECT_TRUE(topic_matches("a..b", "a..b"));
    EXPECT_TRUE(topic_matches("a.*.b", "a..b"));
    EXPECT_FALSE(topic_matches("a.", "a"));
}

TEST(CheckTopic, AcceptsPlainWords) {
    for (const std::string_view topic :
         {"a", "order.created", "order-1.created_2", "with space", "gr\u00fc\u00dfe.x"}) {
        EXPECT_EQ(check_topic(topic), TopicError::kOk) << topic;
        EXPECT_EQ(check_pattern(topic), TopicError::kOk) << topic;
    }
}

TEST(CheckTopic, ErrorsOfBoth) {
    const auto both = [](std::string_view text, TopicError error) {
        EXPECT_EQ(check_topic(text), error) << text;
        EXPECT_EQ(check_pattern(text), error) << text;
    };
    both("", TopicError::kEmpty);
    for (const std::string_view text : {".", "a.", ".a", "a..b"}) {
        both(text, TopicError::kEmptyWord);
    }
    both(std::string(255, 'a'), TopicError::kOk);
    both(std::string(256, 'a'), TopicError::kTooLong);
    for (int code = 0; code < 256; ++code) {
        const std::string text{'a', '.', 'b', static_cast<char>(code)};
        if (code == '.') {
            both(text, TopicError::kEmptyWord);
        } else if (code != '*' && code != '#') {
            both(text,
                 code < 0x20 || code == 0x7f ? TopicError::kControlCharacter : TopicError::kOk);
        }
    }
}

TEST(CheckTopic, Wildcards) {
    for (const std::string_view text : {"*", "#", "a.*", "#.a", "*.*.#.#"}) {
        EXPECT_EQ(check_topic(text), TopicError::kWildcard) << text;
        EXPECT_EQ(check_pattern(text), TopicError::kOk) << text;
    }
    for (const std::string_view text : {"a*", "#a", "x.**", "x.*#.y"}) {
        EXPECT_EQ(check_topic(text), TopicError::kWildcard) << text;
        EXPECT_EQ(check_pattern(text), TopicError::kMixedWildcard) << text;
    }
}

TEST(DescribeTopicError, EveryOneHasItsOwnWords) {
    EXPECT_STREQ(describe(TopicError::kOk), "is well formed");
    EXPECT_STREQ(describe(TopicError::kEmpty), "is empty");
    EXPECT_STREQ(describe(TopicError::kEmptyWord), "has an empty word");
    EXPECT_STREQ(describe(TopicError::kTooLong), "is longer than 255 bytes");
    EXPECT_STREQ(describe(TopicError::kWildcard), "contains a wildcard");
    EXPECT_STREQ(describe(TopicError::kMixedWildcard),
                 "has a wildcard that is not a word of its own");
    EXPECT_STREQ(describe(TopicError::kControlCharacter), "contains a control character");
    EXPECT_STREQ(describe(static_cast<TopicError>(200)), "is malformed");
}

} // namespace
} // namespace baton::core
