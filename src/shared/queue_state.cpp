// The hash table of queue states, in partitions of its own.

#include "shared/queue_state.h"

#include "pg/settings.h"

namespace baton::shared {
namespace {

constexpr int kPartitions = 16;
constexpr const char *kTranche = "baton queues";
constexpr uint64_t kSignalsBeforeBroadcast = 64;

struct QueueEntry {
    QueueKey key;
    ConditionVariable wakeup;
    std::atomic<int32_t> waiters; // the entry goes with the last
};

constinit HTAB *queues_ = nullptr;
constinit LWLockPadded *locks_ = nullptr;

struct Found {
    QueueEntry *entry;
    LWLock *lock;
    uint32 hash;
};

Found find(const QueueKey &key, LWLockMode mode) {
    uint32 hash = get_hash_value(queues_, &key);
    LWLock *lock = &locks_[hash % kPartitions].lock;
    LWLockAcquire(lock, mode);
    auto *entry = static_cast<QueueEntry *>(
        hash_search_with_hash_value(queues_, &key, hash, HASH_FIND, nullptr));
    return {entry, lock, hash};
}

} // namespace

Size queue_states_size() {
    return hash_estimate_size(pg::settings.max_queues, sizeof(QueueEntry));
}

void request_queue_state_locks() {
    RequestNamedLWLockTranche(kTranche, kPartitions);
}

void init_queue_states(bool) {
    locks_ = GetNamedLWLockTranche(kTranche);
    HASHCTL info = {};
    info.num_partitions = kPartitions;
    info.keysize = sizeof(QueueKey);
    info.entrysize = sizeof(QueueEntry);
    queues_ = ShmemInitHash("baton queues", pg::settings.max_queues, pg::settings.max_queues, &info,
                            HASH_ELEM | HASH_BLOBS | HASH_PARTITION | HASH_FIXED_SIZE);
}

ConditionVariable *enter_wait(const QueueKey &key) {
    Found found = find(key, LW_EXCLUSIVE);
    if (!found.entry) {
        found.entry = static_cast<QueueEntry *>(
            hash_search_with_hash_value(queues_, &key, found.hash, HASH_ENTER_NULL, nullptr));
        if (found.entry) {
            ConditionVariableInit(&found.entry->wakeup);
            found.entry->waiters.store(0);
        }
    }
    ConditionVariable *wakeup = nullptr;
    if (found.entry) {
        found.entry->waiters.fetch_add(1);
        wakeup = &found.entry->wakeup;
    }
    LWLockRelease(found.lock);
    return wakeup;
}

void leave_wait(const QueueKey &key) {
    Found found = find(key, LW_EXCLUSIVE);
    if (found.entry && found.entry->waiters.fetch_sub(1) == 1)
        hash_search_with_hash_value(queues_, &key, found.hash, HASH_REMOVE, nullptr);
    LWLockRelease(found.lock);
}

void signal_queue(const QueueKey &key, uint64_t messages) {
    Found found = find(key, LW_SHARED);
    if (found.entry && found.entry->waiters.load() > 0) {
        auto waiters = static_cast<uint64_t>(found.entry->waiters.load());
        if (messages >= waiters || messages > kSignalsBeforeBroadcast)
            ConditionVariableBroadcast(&found.entry->wakeup);
        else
            for (uint64_t i = 0; i < messages; ++i)
                ConditionVariableSignal(&found.entry->wakeup);
    }
    LWLockRelease(found.lock);
}

int64_t queue_states_used() {
    return hash_get_num_entries(queues_);
}

} // namespace baton::shared
