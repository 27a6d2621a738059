// How long values get as text: as JSON, and in a line of COPY.
// What a client reads and what a dump holds is text, and can be several times what is stored.
#pragma once

#include <cstdint>
#include <string_view>

namespace baton::core {

/// The most that one byte of a JSON string takes in a line of COPY: \\u0001.
constexpr uint64_t kMostPerJsonByte = 7;

/// Bytes of a JSON string's content, without the quotes, in a line of COPY: escaped as JSON, then
/// every backslash twice.
uint64_t json_string_size(std::string_view text) noexcept;

/// Bytes of a text in a line of COPY.
uint64_t copy_text_size(std::string_view text) noexcept;

} // namespace baton::core
