// Time-ordered identifiers: UUID version 7 of RFC 9562.
// The twelve bits after the time are a counter (RFC 9562, section 6.2, method 1).
#pragma once

#include <array>
#include <cstdint>

namespace baton::core {

/// A UUID in network byte order, as the server stores its uuid type.
struct Uuid {
    std::array<uint8_t, 16> bytes;

    friend bool operator==(const Uuid &, const Uuid &) = default;
};

/// Makes identifiers that strictly increase within one generator, also when the clock stands still
/// or goes back (the time in them then runs ahead of the clock). Not for concurrent use.
class Uuid7Generator {
public:
    /// The next identifier. unix_ms is milliseconds since 1970, held within 0..2^48 - 1 (the order
    /// is promised until that end, in the year 10889). Of random_a the low 11 bits may be used,
    /// of random_b the low 62 are.
    Uuid next(int64_t unix_ms, uint64_t random_a, uint64_t random_b) noexcept;

private:
    int64_t last_ms_ = -1;
    uint32_t counter_ = 0;
};

} // namespace baton::core
