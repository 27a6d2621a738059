// Makes a consumer's error text fit to be stored and shown on one line.
// Control characters go, and what is too long is cut without breaking a character.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace baton::core {

/// Copies text into out, every control byte (below 0x20, or 0x7f; so newlines and tabs too) as one
/// space, and returns the number of bytes written, at most out.size(). No final zero byte.
///
/// If the text is UTF-8 it is cut at a character's boundary. For other multi-byte encodings the
/// caller has to cut beforehand; bytes that are not UTF-8 are copied as they are.
size_t sanitise_error(std::string_view text, std::span<char> out) noexcept;

} // namespace baton::core
