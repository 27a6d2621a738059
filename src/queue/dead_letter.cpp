// Writes and finds dead letters.

#include "queue/dead_letter.h"

#include "core/error_text.h"
#include "pg/clock.h"
#include "queue/consumer.h"
#include "queue/extension.h"
#include "store/row.h"

namespace baton::queue {
namespace {

// Columns of baton._dead_letter (sql/modules).
enum Column : int {
    kLetterId = 1,
    kQueueId,
    kMessageId,
    kRound,
    kAttempts,
    kPriority,
    kKey,
    kTopic,
    kHeaders,
    kPayload,
    kBody,
    kIdempotencyKey,
    kOptions,
    kEnqueuedAt,
    kFirstAttemptAt,
    kLastAttemptAt,
    kExpiresAt,
    kDeadAt,
    kReason,
    kClass,
    kError,
    kConsumer,
    kConsumerVersion,
    kStatus,
    kChangedBy,
    kChangedAt,
    kColumns = kChangedAt
};

constexpr size_t kMostErrorBytes = 4000;

struct Values {
    Datum values[kColumns];
    bool nulls[kColumns];

    void set(Column column, Datum value) {
        values[column - 1] = value;
        nulls[column - 1] = false;
    }
    void set_time(Column column, int64_t micros) {
        if (micros != 0)
            set(column, TimestampTzGetDatum(micros));
    }
    void set_text(Column column, const char *value) {
        if (value)
            set(column, CStringGetTextDatum(value));
    }
};

struct Copied {
    store::RowAttribute from;
    Column to;
};

constexpr Copied kCopied[] = {{store::kId, kMessageId},
                              {store::kRound, kRound},
                              {store::kAttempts, kAttempts},
                              {store::kPriority, kPriority},
                              {store::kKey, kKey},
                              {store::kTopic, kTopic},
                              {store::kHeaders, kHeaders},
                              {store::kPayload, kPayload},
                              {store::kBody, kBody},
                              {store::kIdempotencyKey, kIdempotencyKey},
                              {store::kOptions, kOptions},
                              {store::kEnqueuedAt, kEnqueuedAt},
                              {store::kExpiresAt, kExpiresAt}};

void copy_message(Values &letter, HeapTuple row, TupleDesc columns) {
    for (const Copied &copied : kCopied) {
        bool is_null = false;
        Datum value = heap_getattr(row, copied.from, columns, &is_null);
        if (!is_null)
            letter.set(copied.to, value);
    }
    const store::RowControl &control = *store::control_of(row->t_data);
    letter.set_time(kFirstAttemptAt, control.first_attempt_at);
    letter.set_time(kLastAttemptAt, control.leased_at);
    Consumer consumer = consumer_of(control.consumer);
    letter.set_text(kConsumer, consumer.name);
    letter.set_text(kConsumerVersion, consumer.version);
}

} // namespace

void keep_dead_letter(const QueueInfo &queue, HeapTuple row, TupleDesc columns,
                      const Death &death) {
    Values letter = {};
    for (bool &null : letter.nulls)
        null = true;
    copy_message(letter, row, columns);
    letter.set(kLetterId, Int64GetDatum(nextval_internal(extension().dead_letter_sequence, false)));
    letter.set(kQueueId, UInt32GetDatum(queue.id));
    letter.set_time(kDeadAt, pg::clock_now());
    letter.set_text(kReason, core::name_of(death.reason));
    if (death.failure)
        letter.set_text(kClass, core::name_of(*death.failure));
    if (death.error)
        letter.set(kError, PointerGetDatum(death.error));
    letter.set_text(kStatus, "open");
    Relation relation = table_open(extension().dead_letter, RowExclusiveLock);
    CatalogTupleInsert(relation,
                       heap_form_tuple(RelationGetDescr(relation), letter.values, letter.nulls));
    table_close(relation, NoLock);
}

bool is_dead_letter(const QueueInfo &queue, const store::RowControl &row) {
    Oid index = relation_named("_dead_letter_by_message");
    Relation relation = table_open(extension().dead_letter, AccessShareLock);
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], kQueueId, BTEqualStrategyNumber, F_INT4EQ, UInt32GetDatum(queue.id));
    ScanKeyInit(&keys[1], kMessageId, BTEqualStrategyNumber, F_UUID_EQ, PointerGetDatum(row.id));
    SysScanDesc scan = systable_beginscan(relation, index, true, snapshot, 2, keys);
    bool is_found = false;
    while (!is_found) {
        HeapTuple letter = systable_getnext(scan);
        if (!HeapTupleIsValid(letter))
            break;
        bool is_null = false;
        Datum round = heap_getattr(letter, kRound, RelationGetDescr(relation), &is_null);
        is_found = DatumGetInt32(round) == row.round;
    }
    systable_endscan(scan);
    UnregisterSnapshot(snapshot);
    table_close(relation, AccessShareLock);
    return is_found;
}

text *sanitised_error(text *error) {
    if (!error)
        return nullptr;
    const char *source = VARDATA_ANY(error);
    int length = static_cast<int>(VARSIZE_ANY_EXHDR(error));
    length = pg_mbcliplen(source, length, static_cast<int>(kMostErrorBytes));
    char *clean = static_cast<char *>(palloc(kMostErrorBytes));
    size_t size =
        core::sanitise_error({source, static_cast<size_t>(length)}, {clean, kMostErrorBytes});
    return cstring_to_text_with_len(clean, static_cast<int>(size));
}

} // namespace baton::queue
