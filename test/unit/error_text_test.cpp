// Error texts: control characters, lengths, and cutting between characters.
// Cuts are tried at every length of a text with characters of one to four bytes.
#include "core/error_text.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "core/uniform.h"
#include "random.h"

namespace baton::core {
namespace {

std::string sanitised(std::string_view text, size_t room) {
    std::string out(room + 8, '~');
    const size_t length = sanitise_error(text, std::span(out).first(room));
    EXPECT_LE(length, room);
    EXPECT_EQ(out.find_first_not_of('~', room), std::string::npos); // nothing behind its room
    return out.substr(0, length);
}

TEST(SanitiseError, CopiesPlainText) {
    EXPECT_EQ(sanitised("connection refused", 100), "connection refused");
    EXPECT_EQ(sanitised("", 100), "");
    EXPECT_EQ(sanitised("exact", 5), "exact");
    EXPECT_EQ(sanitised("exact", 4), "exac");
    EXPECT_EQ(sanitised("exact", 0), "");
    EXPECT_EQ(sanitised("", 0), "");
}

TEST(SanitiseError, EveryByte) {
    for (int code = 0; code < 256; ++code) {
        const char letter = static_cast<char>(code);
        const std::string expected(1, code < 0x20 || code == 0x7f ? ' ' : letter);
        EXPECT_EQ(sanitised(std::string_view(&letter, 1), 10), expected);
    }
}

TEST(SanitiseError, NewlinesAndTabsBecomeOneSpaceEach) {
    EXPECT_EQ(sanitised("line 1\nline\t2\r\n", 100), "line 1 line 2  ");
}

TEST(SanitiseError, CutsBetweenCharacters) {
    // one, two, three and four bytes: a, e acute, euro sign, an emoji
    const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
    const std::array<size_t, 12> kept{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    ASSERT_EQ(text.size() + 1, kept.size());
    for (size_t room = 0; room < kept.size(); ++room) {
        EXPECT_EQ(sanitised(text, room), text.substr(0, kept[room])) << room;
    }
}

TEST(SanitiseError, LeadingCharacterThatDoesNotFit) {
    EXPECT_EQ(sanitised("\xf0\x9f\x98\x80", 3), "");
    EXPECT_EQ(sanitised("\xf0\x9f\x98\x80", 4), "\xf0\x9f\x98\x80");
}

TEST(SanitiseError, OtherBytesAreCutAnywhere) {
    const std::string text(20, '\x80');
    for (size_t room = 0; room <= text.size(); ++room) {
        EXPECT_EQ(sanitised(text, room).size(), room);
    }
}

TEST(SanitiseError, RandomBytesStayInTheirRoom) {
    Random random(9);
    for (int i = 0; i < 20000; ++i) {
        std::string text(uniform_up_to(40, random.next()), '\0');
        for (char &letter : text) {
            letter = static_cast<char>(random.next() >> 56);
        }
        const size_t room = uniform_up_to(45, random.next());
        const std::string out = sanitised(text, room);
        ASSERT_GE(out.size() + 3, std::min(text.size(), room)); // a cut costs three bytes at most
        for (const char letter : out) {
            const auto byte = static_cast<unsigned char>(letter);
            ASSERT_TRUE(byte >= 0x20 && byte != 0x7f);
        }
    }
}

} // namespace
} // namespace baton::core
