// Receipts: the fixed format, round trips, and what damage is noticed.
// The golden bytes guard the on-wire format: a change needs a new version byte.
#include "core/receipt.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "core/uniform.h"
#include "random.h"

namespace baton::core {
namespace {

static_assert(std::is_trivially_destructible_v<Receipt> && std::is_trivially_copyable_v<Receipt>);

using Bytes = std::array<uint8_t, kReceiptBytes>;
using Text = std::array<char, kReceiptTextLength>;

constexpr Receipt kSample{.queue = 0x01020304,
                          .generation = 0x05060708,
                          .block = 0x090a0b0c,
                          .offset = 0x0d0e,
                          .token = 0x0f101112,
                          .nonce = 0x13141516};

Bytes encoded(const Receipt &receipt) {
    Bytes bytes{};
    encode_receipt(receipt, bytes);
    return bytes;
}

std::string formatted(const Bytes &bytes) {
    Text text{};
    format_receipt(bytes, text);
    return {text.begin(), text.end()};
}

Receipt random_receipt(Random &random) {
    const uint64_t a = random.next();
    const uint64_t b = random.next();
    const uint64_t c = random.next();
    return {.queue = static_cast<uint32_t>(a),
            .generation = static_cast<uint32_t>(a >> 32),
            .block = static_cast<uint32_t>(b),
            .offset = static_cast<uint16_t>(b >> 32),
            .token = static_cast<uint32_t>(c),
            .nonce = static_cast<uint32_t>(c >> 32)};
}

TEST(Receipt, FormatIsFixed) {
    Bytes expected{};
    expected[0] = 1;
    for (size_t i = 2; i < expected.size(); ++i) {
        expected[i] = static_cast<uint8_t>(i - 1);
    }
    expected[1] = 0xfa;
    const Bytes bytes = encoded(kSample);
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(formatted(bytes), "AfoBAgMEBQYHCAkKCwwNDg8QERITFBUW");
}

TEST(Receipt, RoundTrip) {
    Random random(1);
    for (int i = 0; i < 20000; ++i) {
        const Receipt receipt = random_receipt(random);
        const Bytes bytes = encoded(receipt);
        Bytes parsed{};
        ASSERT_EQ(parse_receipt_text(formatted(bytes), parsed), ReceiptError::kOk);
        ASSERT_EQ(parsed, bytes);
        Receipt decoded{};
        ASSERT_EQ(decode_receipt(parsed, decoded), ReceiptError::kOk);
        ASSERT_EQ(decoded, receipt);
    }
}

TEST(Receipt, RoundTripOfExtremes) {
    constexpr uint32_t kHighest = std::numeric_limits<uint32_t>::max();
    for (const Receipt &receipt :
         {Receipt{}, Receipt{kHighest, kHighest, kHighest, 0xffff, kHighest, kHighest}}) {
        Receipt decoded{};
        EXPECT_EQ(decode_receipt(encoded(receipt), decoded), ReceiptError::kOk);
        EXPECT_EQ(decoded, receipt);
    }
}

TEST(Receipt, EveryFieldCounts) {
    const auto differs = [](auto change) {
        Receipt other = kSample;
        change(other);
        return other != kSample && encoded(other) != encoded(kSample);
    };
    EXPECT_TRUE(differs([](Receipt &r) { r.queue ^= 1U; }));
    EXPECT_TRUE(differs([](Receipt &r) { r.generation ^= 1U; }));
    EXPECT_TRUE(differs([](Receipt &r) { r.block ^= 1U; }));
    EXPECT_TRUE(differs([](Receipt &r) { r.offset = 0; }));
    EXPECT_TRUE(differs([](Receipt &r) { r.token ^= 1U; }));
    EXPECT_TRUE(differs([](Receipt &r) { r.nonce ^= 1U; }));
}

TEST(Receipt, EveryOneAndTwoBitErrorIsNoticed) {
    constexpr size_t kBits = kReceiptBytes * 8;
    const Bytes good = encoded(kSample);
    const auto flip = [](Bytes &bytes, size_t bit) {
        bytes[bit / 8] = static_cast<uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
    };
    for (size_t i = 0; i < kBits; ++i) {
        for (size_t j = i; j < kBits; ++j) {
            Bytes bad = good;
            flip(bad, i);
            if (j != i) {
                flip(bad, j);
            }
            Receipt out = kSample;
            const ReceiptError error = decode_receipt(bad, out);
            ASSERT_EQ(error, i < 8 ? ReceiptError::kVersion : ReceiptError::kCheck)
                << i << " " << j;
            ASSERT_EQ(out, kSample);
        }
    }
}

TEST(Receipt, WrongLengthIsRefused) {
    std::array<uint8_t, 2 * kReceiptBytes> bytes{};
    std::ranges::copy(encoded(kSample), bytes.begin());
    for (size_t length = 0; length <= bytes.size(); ++length) {
        Receipt out{};
        const ReceiptError error = decode_receipt(std::span(bytes).first(length), out);
        EXPECT_EQ(error, length == kReceiptBytes ? ReceiptError::kOk : ReceiptError::kLength);
    }
}

TEST(ReceiptText, UsesOnlyTheUrlSafeAlphabet) {
    Bytes bytes{};
    bytes.fill(0xff);
    EXPECT_EQ(formatted(bytes), std::string(kReceiptTextLength, '_'));
    bytes.fill(0);
    EXPECT_EQ(formatted(bytes), std::string(kReceiptTextLength, 'A'));
    for (size_t i = 0; i < bytes.size(); i += 3) {
        bytes[i] = 0xfb;
        bytes[i + 1] = 0xef;
        bytes[i + 2] = 0xbe;
    }
    EXPECT_EQ(formatted(bytes), std::string(kReceiptTextLength, '-'));
}

TEST(ReceiptText, EveryCharacterAtEveryPlace) {
    const std::string good = formatted(encoded(kSample));
    const std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (size_t place = 0; place < good.size(); ++place) {
        for (int code = 0; code < 256; ++code) {
            std::string text = good;
            text[place] = static_cast<char>(code);
            Bytes out{};
            const ReceiptError error = parse_receipt_text(text, out);
            if (alphabet.find(text[place]) != std::string_view::npos) {
                ASSERT_EQ(error, ReceiptError::kOk);
                ASSERT_EQ(formatted(out), text); // one text for one receipt
            } else {
                ASSERT_EQ(error, ReceiptError::kAlphabet);
                ASSERT_EQ(out, Bytes{});
            }
        }
    }
}

TEST(ReceiptText, WrongLengthIsRefused) {
    const std::string text(2 * kReceiptTextLength, 'A');
    for (size_t length = 0; length <= text.size(); ++length) {
        Bytes out{};
        const ReceiptError error =
            parse_receipt_text(std::string_view(text).substr(0, length), out);
        EXPECT_EQ(error, length == kReceiptTextLength ? ReceiptError::kOk : ReceiptError::kLength);
    }
}

} // namespace
} // namespace baton::core
