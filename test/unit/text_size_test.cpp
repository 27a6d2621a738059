// Sizes of values as text, against a plain writing-out of the rules.
#include "core/text_size.h"

#include <string>

#include <gtest/gtest.h>

#include "core/uniform.h"
#include "random.h"

namespace baton::core {
namespace {

/// As the server writes a JSON string.
std::string as_json(std::string_view text) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string json;
    for (char byte : text) {
        const std::string_view named = "\bb\ff\nn\rr\tt\"\"\\\\";
        const size_t at = named.find(byte);
        if (at != std::string_view::npos && at % 2 == 0) {
            json += {'\\', named[at + 1]};
        } else if (static_cast<unsigned char>(byte) < 0x20) {
            json += {'\\', 'u', '0', '0', kDigits[(byte >> 4) & 0xf], kDigits[byte & 0xf]};
        } else {
            json += byte;
        }
    }
    return json;
}

/// As COPY TO writes a text.
std::string as_copy(std::string_view text) {
    std::string line;
    for (char byte : text) {
        const std::string_view named = "\bb\ff\nn\rr\tt\vv\\\\";
        const size_t at = named.find(byte);
        if (at != std::string_view::npos && at % 2 == 0) {
            line += {'\\', named[at + 1]};
        } else {
            line += byte;
        }
    }
    return line;
}

TEST(TextSize, Examples) {
    EXPECT_EQ(json_string_size(""), 0U);
    EXPECT_EQ(json_string_size("plain"), 5U);
    EXPECT_EQ(json_string_size("\""), 3U);
    EXPECT_EQ(json_string_size("\\"), 4U);
    EXPECT_EQ(json_string_size("\n"), 3U);
    EXPECT_EQ(json_string_size("\x01"), kMostPerJsonByte);
    EXPECT_EQ(json_string_size("\xc3\xa9"), 2U);
    EXPECT_EQ(copy_text_size(""), 0U);
    EXPECT_EQ(copy_text_size("a\tb\\c"), 7U);
}

TEST(TextSize, EveryByte) {
    for (int code = 1; code < 256; ++code) {
        const char byte = static_cast<char>(code);
        const std::string_view text(&byte, 1);
        EXPECT_EQ(json_string_size(text), as_copy(as_json(text)).size()) << code;
        EXPECT_EQ(copy_text_size(text), as_copy(text).size()) << code;
        EXPECT_LE(json_string_size(text), kMostPerJsonByte);
    }
}

TEST(TextSize, IsTheSumOverItsParts) {
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        std::string text;
        for (uint64_t i = uniform_up_to(100, random.next()); i > 0; --i) {
            text += static_cast<char>(1 + uniform_up_to(254, random.next()));
        }
        EXPECT_EQ(json_string_size(text), as_copy(as_json(text)).size());
        EXPECT_EQ(copy_text_size(text), as_copy(text).size());
    }
}

} // namespace
} // namespace baton::core
