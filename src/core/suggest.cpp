// Edit distance over two rows of its table.
// One row stays in place and the value overwritten last is kept beside it.
#include "core/suggest.h"

#include <algorithm>
#include <array>

namespace baton::core {

int edit_distance(std::string_view a, std::string_view b) noexcept {
    if (a.size() > kSuggestMaxBytes || b.size() > kSuggestMaxBytes) {
        return kFarApart;
    }
    std::array<int, kSuggestMaxBytes + 1> row{};
    for (size_t j = 0; j <= b.size(); ++j) {
        row[j] = static_cast<int>(j);
    }
    for (size_t i = 1; i <= a.size(); ++i) {
        int diagonal = row[0];
        row[0] = static_cast<int>(i);
        for (size_t j = 1; j <= b.size(); ++j) {
            const int replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

int nearest(std::string_view word, std::span<const std::string_view> candidates) noexcept {
    const int close_enough = std::max(2, static_cast<int>(word.size() / 3));
    int best = -1;
    int best_distance = close_enough + 1;
    for (size_t i = 0; i < candidates.size(); ++i) {
        const int distance = edit_distance(word, candidates[i]);
        const auto longest = static_cast<int>(std::max(word.size(), candidates[i].size()));
        if (distance < best_distance && (distance < longest || distance == 0)) {
            best = static_cast<int>(i);
            best_distance = distance;
        }
    }
    return best;
}

} // namespace baton::core
