// The row of a message: its fixed control words, which are changed in place, and its columns.
// Must agree with the type baton._message_row (sql/modules).
#pragma once

#include "pg/prelude.h"

namespace baton::store {

/// The leading NOT NULL columns, at this layout in every row. Times are microseconds since 2000, 0
/// = never.
struct RowControl {
    int64_t visible_at; // nobody may claim before: lease end, or due time
    int64_t leased_at;  // when the current or last lease began
    int64_t first_attempt_at;
    int32_t token; // goes up with every lease and every giving back, never down
    int32_t nonce; // random per lease; 0 while no attempt holds the row
    int32_t attempts;
    int32_t round; // goes up with every redrive
    int32_t flags;
    int32_t consumer; // number in the consumer dictionary
    // from here on fixed at insertion
    int64_t enqueued_at;
    uint8_t id[16];
    int32_t priority;
};

static_assert(offsetof(RowControl, enqueued_at) == 48 && offsetof(RowControl, priority) == 72);

enum RowFlags : int32_t {
    kHasExpiry = 1,  // expires_at is set
    kHasOptions = 2, // options is set
    kTakenAway = 4,  // an operator ended its last lease
};

enum RowAttribute : int {
    kVisibleAt = 1,
    kLeasedAt,
    kFirstAttemptAt,
    kToken,
    kNonce,
    kAttempts,
    kRound,
    kFlags,
    kConsumer,
    kEnqueuedAt,
    kId,
    kPriority,
    kKey,
    kTopic,
    kHeaders,
    kPayload,
    kBody,
    kExpiresAt,
    kIdempotencyKey,
    kOptions,
    kRowAttributes = kOptions
};

/// The control words of a row, in place.
inline RowControl *control_of(HeapTupleHeader header) {
    return reinterpret_cast<RowControl *>(reinterpret_cast<char *>(header) + header->t_hoff);
}

/// A new message's column values; varlena columns may be null.
struct RowValues {
    Datum values[kRowAttributes];
    bool nulls[kRowAttributes];

    void set(RowAttribute attribute, Datum value) {
        values[attribute - 1] = value;
        nulls[attribute - 1] = false;
    }
};

/// The values of a message that was never attempted, all varlena columns null. `id` must outlive
/// the values.
inline RowValues new_row(const pg_uuid_t *id, int64_t now, int64_t visible_at, int32_t priority) {
    RowValues row;
    for (int i = 0; i < kRowAttributes; ++i) {
        row.values[i] = static_cast<Datum>(0);
        row.nulls[i] = i >= kKey - 1;
    }
    row.set(kVisibleAt, Int64GetDatum(visible_at));
    row.set(kEnqueuedAt, Int64GetDatum(now));
    row.set(kId, PointerGetDatum(id));
    row.set(kPriority, Int32GetDatum(priority));
    return row;
}

} // namespace baton::store
