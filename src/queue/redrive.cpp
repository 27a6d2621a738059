// Marks letters redriven, which serialises concurrent redrives of the same letter, and appends what
// they hold.

#include "queue/redrive.h"

#include "pg/clock.h"
#include "pg/sql.h"
#include "queue/extension.h"
#include "queue/send.h"
#include "store/row.h"

namespace baton::queue {
namespace {

struct Returned {
    int column; // of the statement below
    store::RowAttribute attribute;
};

constexpr const char *kTakeLetters =
    "UPDATE baton._dead_letter SET status = 'redriven', changed_by = $3, changed_at = clock_timestamp() "
    "WHERE queue = $1 AND id = ANY ($2) AND status = 'open' "
    "RETURNING id, round + 1, priority, key, topic, headers, payload, body, idempotency_key, options, expires_at, "
    "enqueued_at";

constexpr Returned kReturned[] = {
    {1, store::kId},       {2, store::kRound},      {3, store::kPriority},
    {4, store::kKey},      {5, store::kTopic},      {6, store::kHeaders},
    {7, store::kPayload},  {8, store::kBody},       {9, store::kIdempotencyKey},
    {10, store::kOptions}, {11, store::kExpiresAt}, {12, store::kEnqueuedAt}};

store::RowValues row_from(HeapTuple letter, TupleDesc columns, int64_t now) {
    static constexpr pg_uuid_t kNoId = {};
    store::RowValues row = store::new_row(&kNoId, now, now, 0);
    for (const Returned &returned : kReturned) {
        bool is_null = false;
        Datum value = SPI_getbinval(letter, columns, returned.column, &is_null);
        if (!is_null)
            row.set(returned.attribute, value);
    }
    int32_t flags = row.nulls[store::kOptions - 1] ? 0 : store::kHasOptions;
    // What had expired would only be buried again; it was redriven on purpose.
    if (!row.nulls[store::kExpiresAt - 1] && DatumGetInt64(row.values[store::kExpiresAt - 1]) > now)
        flags |= store::kHasExpiry;
    row.set(store::kFlags, Int32GetDatum(flags));
    return row;
}

} // namespace

int64_t redrive(const QueueInfo &queue, Datum ids) {
    char *role = GetUserNameFromId(GetUserId(), false);
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    pg::SqlArgument arguments[] = {{INT4OID, UInt32GetDatum(queue.id), false},
                                   {UUIDARRAYOID, ids, false},
                                   {TEXTOID, CStringGetTextDatum(role), false}};
    auto count = static_cast<int>(pg::run_sql(kTakeLetters, arguments));
    auto *rows = static_cast<store::RowValues *>(palloc_extended(
        sizeof(store::RowValues) * static_cast<Size>(std::max(count, 1)), MCXT_ALLOC_HUGE));
    int64_t now = pg::clock_now();
    for (int i = 0; i < count; ++i)
        rows[i] = row_from(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, now);
    append(queue, rows, count);
    pg::end_sql(session);
    leave(caller);
    return count;
}

} // namespace baton::queue
