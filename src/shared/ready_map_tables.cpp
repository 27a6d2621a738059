// Looking up, making and removing entries; the tables' size and start.

#include "shared/ready_map_tables.h"

#include "pg/settings.h"

namespace baton::shared {
namespace {

using core::kLookNow;

constexpr int kPartitions = 32;
constexpr const char *kTranche = "baton ready map";

static_assert(std::atomic<core::ReadyWord>::is_always_lock_free);
static_assert(sizeof(ChunkKey) == 12 && sizeof(SegmentKey) == 8, "hash keys must not have padding");

constinit HTAB *segments_ = nullptr;
constinit HTAB *chunks_ = nullptr;
constinit LWLockPadded *locks_ = nullptr; // kPartitions for segments, then kPartitions for chunks

int64_t chunk_limit() {
    constexpr int64_t kEntryOverhead = 32;
    return int64_t{pg::settings.ready_map_kb} * 1024 /
           static_cast<int64_t>(sizeof(ChunkEntry) + kEntryOverhead);
}

int64_t segment_limit() {
    return int64_t{pg::settings.max_queues} * 2 + chunk_limit() / 16 + 64;
}

void raise_to_at_least(std::atomic<uint32_t> &value, uint32_t least) {
    uint32_t seen = value.load();
    while (seen < least && !value.compare_exchange_weak(seen, least)) {
    }
}

} // namespace

Segment find_segment(const SegmentKey &key, LWLockMode mode) {
    uint32 hash = get_hash_value(segments_, &key);
    LWLock *lock = &locks_[hash % kPartitions].lock;
    LWLockAcquire(lock, mode);
    auto *entry = static_cast<SegmentEntry *>(
        hash_search_with_hash_value(segments_, &key, hash, HASH_FIND, nullptr));
    return {entry, lock};
}

Chunk find_chunk(const SegmentKey &segment, uint32_t chunk, LWLockMode mode) {
    ChunkKey key{segment, chunk};
    uint32 hash = get_hash_value(chunks_, &key);
    LWLock *lock = &locks_[kPartitions + hash % kPartitions].lock;
    LWLockAcquire(lock, mode);
    auto *entry = static_cast<ChunkEntry *>(
        hash_search_with_hash_value(chunks_, &key, hash, HASH_FIND, nullptr));
    return {entry, lock};
}

void remove_chunk(const SegmentKey &segment, uint32_t chunk) {
    Chunk found = find_chunk(segment, chunk, LW_EXCLUSIVE);
    if (found.entry) {
        ChunkKey key{segment, chunk};
        hash_search_with_hash_value(chunks_, &key, get_hash_value(chunks_, &key), HASH_REMOVE,
                                    nullptr);
    }
    LWLockRelease(found.lock);
}

void make_segment(const SegmentKey &key, uint32_t low_block) {
    Segment segment = find_segment(key, LW_EXCLUSIVE);
    if (!segment.entry) {
        uint32 hash = get_hash_value(segments_, &key);
        auto *entry = static_cast<SegmentEntry *>(
            hash_search_with_hash_value(segments_, &key, hash, HASH_ENTER_NULL, nullptr));
        if (entry) {
            entry->earliest.store(kLookNow);
            entry->low_block.store(low_block);
            entry->chunks_end.store(0);
            LWLockInitialize(&entry->lock, locks_[0].lock.tranche);
        }
    }
    LWLockRelease(segment.lock);
}

void make_chunk(const SegmentKey &key, uint32_t number) {
    Segment segment = find_segment(key, LW_SHARED);
    if (segment.entry) {
        raise_to_at_least(segment.entry->chunks_end, number + 1);
        Chunk chunk = find_chunk(key, number, LW_EXCLUSIVE);
        if (!chunk.entry) {
            ChunkKey chunk_key{key, number};
            uint32 hash = get_hash_value(chunks_, &chunk_key);
            auto *entry = static_cast<ChunkEntry *>(
                hash_search_with_hash_value(chunks_, &chunk_key, hash, HASH_ENTER_NULL, nullptr));
            if (entry) {
                entry->hint.store(kLookNow);
                for (auto &word : entry->words)
                    word.store(kLookNow, std::memory_order_relaxed);
                for (auto &live : entry->live)
                    live.store(0, std::memory_order_relaxed);
                for (auto &tries : entry->tries)
                    tries.store(0, std::memory_order_relaxed);
            }
        }
        LWLockRelease(chunk.lock);
    }
    LWLockRelease(segment.lock);
}

Size ready_map_size() {
    Size size = hash_estimate_size(static_cast<long>(segment_limit()), sizeof(SegmentEntry));
    return add_size(size, hash_estimate_size(static_cast<long>(chunk_limit()), sizeof(ChunkEntry)));
}

void request_ready_map_locks() {
    RequestNamedLWLockTranche(kTranche, 2 * kPartitions);
}

void init_ready_map(bool) {
    constexpr int kFlags = HASH_ELEM | HASH_BLOBS | HASH_PARTITION | HASH_FIXED_SIZE;
    locks_ = GetNamedLWLockTranche(kTranche);
    HASHCTL info = {};
    info.num_partitions = kPartitions;
    info.keysize = sizeof(SegmentKey);
    info.entrysize = sizeof(SegmentEntry);
    long segments = static_cast<long>(segment_limit());
    segments_ = ShmemInitHash("baton segments", segments, segments, &info, kFlags);
    info.keysize = sizeof(ChunkKey);
    info.entrysize = sizeof(ChunkEntry);
    long chunks = static_cast<long>(chunk_limit());
    chunks_ = ShmemInitHash("baton chunks", chunks, chunks, &info, kFlags);
}

void forget_segment(const SegmentKey &key) {
    Segment segment = find_segment(key, LW_EXCLUSIVE);
    if (segment.entry) {
        uint32_t end = segment.entry->chunks_end.load();
        for (uint32_t chunk = 0; chunk < end; ++chunk)
            remove_chunk(key, chunk);
        hash_search_with_hash_value(segments_, &key, get_hash_value(segments_, &key), HASH_REMOVE,
                                    nullptr);
    }
    LWLockRelease(segment.lock);
}

std::span<SegmentKey> segments_of(Oid database) {
    auto limit = static_cast<Size>(segment_limit());
    auto *keys = static_cast<SegmentKey *>(palloc(limit * sizeof(SegmentKey)));
    Size count = 0;
    for (int i = 0; i < kPartitions; ++i)
        LWLockAcquire(&locks_[i].lock, LW_SHARED);
    HASH_SEQ_STATUS status;
    hash_seq_init(&status, segments_);
    while (auto *entry = static_cast<SegmentEntry *>(hash_seq_search(&status)))
        if ((entry->key.database == database || database == InvalidOid) && count < limit)
            keys[count++] = entry->key;
    for (int i = kPartitions; --i >= 0;)
        LWLockRelease(&locks_[i].lock);
    return {keys, count};
}

void forget_segments_of(Oid database) {
    std::span<SegmentKey> keys = segments_of(database);
    for (const SegmentKey &key : keys)
        forget_segment(key);
    pfree(keys.data());
}

ReadyMapUse ready_map_use() {
    return {hash_get_num_entries(segments_), segment_limit(), hash_get_num_entries(chunks_),
            chunk_limit()};
}

} // namespace baton::shared
