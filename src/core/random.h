// A small, fast random generator (xoshiro256**) for jitter, id bits and receipt nonces.
// It has no source of its own: what it gives is only as unpredictable as the seed it is given.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace baton::core {

/// Maps 64 random bits evenly onto 0..limit, both ends included.
[[nodiscard]] constexpr uint64_t uniform_up_to(uint64_t limit, uint64_t random) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(random) * (static_cast<Wide>(limit) + 1)) >>
                                 64);
}

/// Pseudo random generator with a period of 2^256 - 1.
///
/// Not a cipher. Receipts are unforgeable only if the caller seeds with strong random bits of the
/// operating system, separately for every process, and again after some time: whoever knows the
/// seed, or collects enough consecutive outputs, can compute all the others.
class Random {
public:
    /// Both words of the seed should be strong random bits; different seeds never share a state.
    constexpr explicit Random(uint64_t seed_high, uint64_t seed_low = 0) noexcept {
        // One to one as far as the second word, and from there every word depends on both seeds.
        const uint64_t high = mix(seed_high);
        state_[1] = mix(seed_low + high);
        state_[0] = mix(high + state_[1]);
        state_[2] = mix(state_[0]);
        state_[3] = mix(state_[2]) | 1;
    }

    /// The next 64 random bits.
    constexpr uint64_t next() noexcept {
        const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

private:
    /// The splitmix64 step: one to one, so that poor seeds still give well mixed states.
    static constexpr uint64_t mix(uint64_t value) noexcept {
        value += 0x9e3779b97f4a7c15U;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
        value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
        return value ^ (value >> 31);
    }

    std::array<uint64_t, 4> state_{}; // never all zero: the constructor sets a bit of the last word
};

} // namespace baton::core
