// Packing and unpacking of receipts.
// Byte order and alphabet are part of the on-wire format: change them only with the version byte.
#include "core/receipt.h"

#include <algorithm>
#include <array>

namespace baton::core {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kCheckAt = 1;
constexpr size_t kFieldsAt = 2;

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> make_digits() noexcept {
    std::array<uint8_t, 256> digits{};
    digits.fill(kNoDigit);
    for (size_t i = 0; i < kAlphabet.size(); ++i) {
        digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
    }
    return digits;
}

constexpr std::array<uint8_t, 256> kDigits = make_digits();

constexpr std::array<uint8_t, 256> make_crc_table() noexcept {
    std::array<uint8_t, 256> table{};
    for (unsigned value = 0; value < table.size(); ++value) {
        unsigned crc = value;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 0x80U) != 0 ? (crc << 1) ^ 0x11dU : crc << 1;
        }
        table[value] = static_cast<uint8_t>(crc);
    }
    return table;
}

constexpr std::array<uint8_t, 256> kCrcTable = make_crc_table();

/// CRC-8 over all bytes but the check byte itself. The polynomial x^8+x^4+x^3+x^2+1 is primitive,
/// so any one or two flipped bits of a receipt are found.
uint8_t check_byte(std::span<const uint8_t, kReceiptBytes> bytes) noexcept {
    uint8_t crc = 0xff;
    for (size_t i = 0; i < kReceiptBytes; ++i) {
        if (i != kCheckAt) {
            crc = kCrcTable[crc ^ bytes[i]];
        }
    }
    return crc;
}

/// Writes fields one after the other, most significant byte first.
class Writer {
public:
    explicit Writer(uint8_t *at) noexcept : at_(at) {}

    void put(uint32_t value, int width) noexcept {
        for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
            *at_++ = static_cast<uint8_t>(value >> shift);
        }
    }

private:
    uint8_t *at_;
};

/// Reads fields one after the other, most significant byte first.
class Reader {
public:
    explicit Reader(const uint8_t *at) noexcept : at_(at) {}

    uint32_t take(int width) noexcept {
        uint32_t value = 0;
        for (int i = 0; i < width; ++i) {
            value = (value << 8) | *at_++;
        }
        return value;
    }

private:
    const uint8_t *at_;
};

} // namespace

void encode_receipt(const Receipt &receipt, std::span<uint8_t, kReceiptBytes> out) noexcept {
    out[0] = kVersion;
    Writer writer(&out[kFieldsAt]);
    writer.put(receipt.queue, 4);
    writer.put(receipt.generation, 4);
    writer.put(receipt.block, 4);
    writer.put(receipt.offset, 2);
    writer.put(receipt.token, 4);
    writer.put(receipt.nonce, 4);
    out[kCheckAt] = check_byte(out);
}

ReceiptError decode_receipt(std::span<const uint8_t> bytes, Receipt &out) noexcept {
    if (bytes.size() != kReceiptBytes) {
        return ReceiptError::kLength;
    }
    if (bytes[0] != kVersion) {
        return ReceiptError::kVersion;
    }
    if (bytes[kCheckAt] != check_byte(bytes.first<kReceiptBytes>())) {
        return ReceiptError::kCheck;
    }
    Reader reader(&bytes[kFieldsAt]);
    out.queue = reader.take(4);
    out.generation = reader.take(4);
    out.block = reader.take(4);
    out.offset = static_cast<uint16_t>(reader.take(2));
    out.token = reader.take(4);
    out.nonce = reader.take(4);
    return ReceiptError::kOk;
}

void format_receipt(std::span<const uint8_t, kReceiptBytes> bytes,
                    std::span<char, kReceiptTextLength> out) noexcept {
    size_t written = 0;
    for (size_t i = 0; i < kReceiptBytes; i += 3) {
        const uint32_t group = Reader(&bytes[i]).take(3);
        for (int shift = 18; shift >= 0; shift -= 6) {
            out[written++] = kAlphabet[(group >> shift) & 0x3fU];
        }
    }
}

ReceiptError parse_receipt_text(std::string_view text,
                                std::span<uint8_t, kReceiptBytes> out) noexcept {
    if (text.size() != kReceiptTextLength) {
        return ReceiptError::kLength;
    }
    std::array<uint8_t, kReceiptBytes> bytes{};
    Writer writer(bytes.data());
    for (size_t i = 0; i < kReceiptTextLength; i += 4) {
        uint32_t group = 0;
        for (const char letter : std::string_view(text.data() + i, 4)) {
            const uint8_t digit = kDigits[static_cast<uint8_t>(letter)];
            if (digit == kNoDigit) {
                return ReceiptError::kAlphabet;
            }
            group = (group << 6) | digit;
        }
        writer.put(group, 3);
    }
    std::copy(bytes.begin(), bytes.end(), out.begin());
    return ReceiptError::kOk;
}

} // namespace baton::core
