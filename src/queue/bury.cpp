// Deletes and keeps.

#include "queue/bury.h"

#include "queue/settle.h"

namespace baton::queue {

void bury_found(const QueueInfo &queue, std::span<store::BuryRow> rows) {
    for (store::BuryRow &row : rows) {
        Place place = open_place(row.receipt);
        if (!place.segment.relation)
            continue;
        store::SettleItem item = {row.receipt, true, nullptr, {}};
        store::SettleItem *items[] = {&item};
        store::settle_block(place.segment, row.receipt.block, items);
        if (item.outcome.state == store::SettleState::kSettled)
            keep_dead_letter(queue, item.copy, RelationGetDescr(place.segment.relation),
                             {row.reason, std::nullopt, nullptr});
        else if (item.outcome.state == store::SettleState::kOvertaken)
            ereport(ERROR,
                    (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                     errmsg("a message was leased while it was being moved to the dead letters"),
                     errhint("Call again.")));
        store::close_segment(place.segment, false);
    }
}

} // namespace baton::queue
