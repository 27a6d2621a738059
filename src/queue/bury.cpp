// Deletes and keeps.

#include "queue/bury.h"

#include "queue/settle.h"

namespace baton::queue {

void bury_found(std::span<store::BuryRow> rows) {
    for (store::BuryRow &row : rows) {
        Place place = open_place(row.receipt);
        if (!place.segment.relation)
            continue;
        (void)bury(place, row.receipt,
                   {row.reason, std::nullopt, nullptr}); // or somebody was faster
        store::close_segment(place.segment, false);
    }
}

} // namespace baton::queue
