// The receipt of a lease: its fields, its 24 bytes and its 32 characters.
// The check byte only catches damage in transit; token and nonce are what cannot be guessed.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace baton::core {

/// Where the leased row is and which of its leases is meant.
struct Receipt {
    uint32_t queue;
    uint32_t generation; // of the segment: changes whenever the segment is emptied or rewritten
    uint32_t block;
    uint16_t offset;
    uint32_t token; // goes up with every lease of the row
    uint32_t nonce; // drawn at random for every lease

    friend bool operator==(const Receipt &, const Receipt &) = default;
    friend auto operator<=>(const Receipt &, const Receipt &) = default;
};

inline constexpr size_t kReceiptBytes = 24;
inline constexpr size_t kReceiptTextLength = 32;

/// Why bytes or text are not a receipt.
enum class ReceiptError : uint8_t { kOk, kLength, kVersion, kCheck, kAlphabet };

/// Writes the binary form: version 1, check byte, then the fields in order, big endian.
void encode_receipt(const Receipt &receipt, std::span<uint8_t, kReceiptBytes> out) noexcept;

/// Reads the binary form into out. Errors: kLength, kVersion, kCheck; out is then unchanged.
[[nodiscard]] ReceiptError decode_receipt(std::span<const uint8_t> bytes, Receipt &out) noexcept;

/// Writes the text form, base64url without padding and without a final zero byte.
void format_receipt(std::span<const uint8_t, kReceiptBytes> bytes,
                    std::span<char, kReceiptTextLength> out) noexcept;

/// Reads the text form into its bytes, which decode_receipt has still to check.
/// Errors: kLength, kAlphabet; out is then unchanged.
[[nodiscard]] ReceiptError parse_receipt_text(std::string_view text,
                                              std::span<uint8_t, kReceiptBytes> out) noexcept;

} // namespace baton::core
