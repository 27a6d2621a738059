// Counting, byte by byte. Bytes of multi-byte characters stand for themselves.
#include "core/text_size.h"

namespace baton::core {
namespace {

/// Control characters that both JSON and COPY write with a letter.
bool has_letter(char byte) noexcept {
    return byte == '\b' || byte == '\f' || byte == '\n' || byte == '\r' || byte == '\t';
}

uint64_t json_byte_size(char byte) noexcept {
    if (byte == '"' || has_letter(byte)) {
        return 3; // COPY doubles the backslash
    }
    if (byte == '\\') {
        return 4;
    }
    return static_cast<unsigned char>(byte) < 0x20 ? kMostPerJsonByte : 1;
}

uint64_t copy_byte_size(char byte) noexcept {
    return byte == '\\' || byte == '\v' || has_letter(byte) ? 2 : 1;
}

} // namespace

uint64_t json_string_size(std::string_view text) noexcept {
    uint64_t size = 0;
    for (char byte : text) {
        size += json_byte_size(byte);
    }
    return size;
}

uint64_t copy_text_size(std::string_view text) noexcept {
    uint64_t size = 0;
    for (char byte : text) {
        size += copy_byte_size(byte);
    }
    return size;
}

} // namespace baton::core
