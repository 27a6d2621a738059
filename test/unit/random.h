// A repeatable source of random bits for the tests.
#pragma once

#include <cstdint>
#include <random>

namespace baton::core {

class Random {
public:
    explicit Random(uint64_t seed) : source_(seed) {}
    uint64_t next() { return source_(); }

private:
    std::mt19937_64 source_;
};

} // namespace baton::core
