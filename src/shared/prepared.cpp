// A fixed array, sized by max_prepared_transactions.

#include "shared/prepared.h"

#include "shared/queue_state.h"
#include "shared/roster.h"

namespace baton::shared {
namespace {

constexpr const char *kTranche = "baton prepared transactions";
constexpr int kRangesPerTransaction = 16;

struct List {
    int count; // all fields under the tranche's lock
    PreparedRange ranges[FLEXIBLE_ARRAY_MEMBER];
};

constinit List *list_ = nullptr;
constinit LWLock *lock_ = nullptr;

int capacity() {
    return max_prepared_xacts * kRangesPerTransaction;
}

/// Takes one range whose transaction has ended off the list. False if there is none; `left` counts
/// those of this database that still run.
bool take_ended(PreparedRange *range, int *left) {
    bool is_found = false;
    *left = 0;
    LWLockAcquire(lock_, LW_EXCLUSIVE);
    for (int i = 0; i < list_->count && !is_found; ++i) {
        if (list_->ranges[i].key.database != MyDatabaseId)
            continue;
        if (TransactionIdIsInProgress(list_->ranges[i].xid)) {
            ++*left;
            continue;
        }
        *range = list_->ranges[i];
        list_->ranges[i] = list_->ranges[--list_->count];
        is_found = true;
    }
    LWLockRelease(lock_);
    return is_found;
}

} // namespace

Size prepared_size() {
    return add_size(offsetof(List, ranges),
                    mul_size(sizeof(PreparedRange), static_cast<Size>(capacity())));
}

void request_prepared_locks() {
    RequestNamedLWLockTranche(kTranche, 1);
}

void init_prepared(bool) {
    bool is_found = false;
    lock_ = &GetNamedLWLockTranche(kTranche)->lock;
    list_ = static_cast<List *>(ShmemInitStruct(kTranche, prepared_size(), &is_found));
    if (!is_found)
        list_->count = 0;
}

void remember_prepared(const PreparedRange &range) {
    LWLockAcquire(lock_, LW_EXCLUSIVE);
    if (list_->count < capacity())
        list_->ranges[list_->count++] = range;
    LWLockRelease(lock_);
}

int resolve_prepared() {
    PreparedRange range;
    int left = 0;
    while (take_ended(&range, &left)) {
        mark_look_now(range.key, range.first, range.last);
        if (range.queue == kOutboxQueue)
            wake_worker(MyDatabaseId, kWorkRelay);
        else
            signal_queue({MyDatabaseId, range.queue}, range.rows);
    }
    return left;
}

} // namespace baton::shared
