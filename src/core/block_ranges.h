// A set of block numbers in a fixed number of ranges, for callbacks that must not allocate.
// When room runs out it grows coarser, never smaller: it always covers what was added.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace baton::core {

/// The blocks first..last, both included.
struct BlockRange {
    uint32_t first;
    uint32_t last;

    friend bool operator==(const BlockRange &, const BlockRange &) = default;
};

/// At most N ranges, sorted, neither overlapping nor touching.
template <size_t N>
class BlockRanges {
    static_assert(N > 0);

public:
    using Range = BlockRange;

    /// Adds one block.
    constexpr void add(uint32_t block) noexcept { add(block, block); }

    /// Adds all blocks between the two, in either order, both included. Without room for another
    /// range, the two neighbours with the smallest gap become one.
    constexpr void add(uint32_t a, uint32_t b) noexcept {
        Range added{.first = std::min(a, b), .last = std::max(a, b)};
        const size_t begin = first_reaching(added.first);
        const size_t end = first_beyond(added.last);
        if (begin == end) {
            insert(begin, added);
            if (count_ > N) {
                close_smallest_gap();
            }
            return;
        }
        added.first = std::min(added.first, ranges_[begin].first);
        added.last = std::max(added.last, ranges_[end - 1].last);
        ranges_[begin] = added;
        erase(begin + 1, end);
    }

    /// Adds everything the other set covers.
    template <size_t M>
    constexpr void merge(const BlockRanges<M> &other) noexcept {
        // A copy, so that merging a set with itself does not read what it changes.
        const BlockRanges<M> source = other;
        for (const Range &range : source.ranges()) {
            add(range.first, range.last);
        }
    }

    /// The ranges in ascending order; valid until the next change.
    [[nodiscard]] constexpr std::span<const Range> ranges() const noexcept {
        return std::span<const Range>(ranges_.data(), count_);
    }

    [[nodiscard]] constexpr bool empty() const noexcept { return count_ == 0; }

    constexpr void clear() noexcept { count_ = 0; }

private:
    /// Index of the first range that ends at, right before, or after the block.
    [[nodiscard]] constexpr size_t first_reaching(uint32_t block) const noexcept {
        size_t i = 0;
        while (i < count_ && uint64_t{ranges_[i].last} + 1 < block) {
            ++i;
        }
        return i;
    }

    /// Index of the first range that begins after the block and does not touch it.
    [[nodiscard]] constexpr size_t first_beyond(uint32_t block) const noexcept {
        size_t i = 0;
        while (i < count_ && ranges_[i].first <= uint64_t{block} + 1) {
            ++i;
        }
        return i;
    }

    constexpr void insert(size_t at, const Range &range) noexcept {
        for (size_t i = count_; i > at; --i) {
            ranges_[i] = ranges_[i - 1];
        }
        ranges_[at] = range;
        ++count_;
    }

    constexpr void erase(size_t begin, size_t end) noexcept {
        for (size_t i = end; i < count_; ++i) {
            ranges_[begin + (i - end)] = ranges_[i];
        }
        count_ -= end - begin;
    }

    constexpr void close_smallest_gap() noexcept {
        size_t best = 0;
        for (size_t i = 1; i + 1 < count_; ++i) {
            if (gap_after(i) < gap_after(best)) {
                best = i;
            }
        }
        ranges_[best].last = ranges_[best + 1].last;
        erase(best + 1, best + 2);
    }

    [[nodiscard]] constexpr uint32_t gap_after(size_t i) const noexcept {
        return ranges_[i + 1].first - ranges_[i].last;
    }

    std::array<Range, N + 1> ranges_{}; // one more than the limit, in use only within add
    size_t count_ = 0;
};

} // namespace baton::core
