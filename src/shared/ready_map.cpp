// The ready map's two hash tables (segments, chunks) and the protocol over them. Lock order: a
// partition of the segment table, the segment's own lock, a partition of the chunk table.

#include "shared/ready_map.h"

#include "pg/settings.h"

namespace baton::shared {
namespace {

using core::kLookNow;
using core::kNever;
using core::ReadyWord;

constexpr int kPartitions = 32;
constexpr const char *kTranche = "baton ready map";
struct SegmentEntry {
    SegmentKey key;
    std::atomic<ReadyWord> earliest;
    std::atomic<uint32_t> low_block;  // changed under lock
    std::atomic<uint32_t> chunks_end; // no chunk at or beyond was ever made
    LWLock lock;                      // low_block, and freeing of chunks
};

struct ChunkKey {
    SegmentKey segment;
    uint32_t chunk;
};

struct ChunkEntry {
    ChunkKey key;
    std::atomic<ReadyWord> hint;
    std::atomic<ReadyWord> words[kBlocksPerChunk];
    std::atomic<uint16_t> live[kBlocksPerChunk]; // rows left at the last look; a hint
    std::atomic<uint8_t> tries[kBlocksPerChunk]; // looks in a row that met running transactions
};

static_assert(std::atomic<ReadyWord>::is_always_lock_free);
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

// Lookups return with the partition's lock held, which the caller releases by hand: nothing in
// between can fail.
struct Segment {
    SegmentEntry *entry;
    LWLock *lock;
};

struct Chunk {
    ChunkEntry *entry;
    LWLock *lock;
};

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

void make_segment(const SegmentKey &key) {
    Segment segment = find_segment(key, LW_EXCLUSIVE);
    if (!segment.entry) {
        uint32 hash = get_hash_value(segments_, &key);
        auto *entry = static_cast<SegmentEntry *>(
            hash_search_with_hash_value(segments_, &key, hash, HASH_ENTER_NULL, nullptr));
        if (entry) {
            entry->earliest.store(kLookNow);
            entry->low_block.store(0);
            entry->chunks_end.store(0);
            LWLockInitialize(&entry->lock, locks_[0].lock.tranche);
        }
    }
    LWLockRelease(segment.lock);
}

void raise_to_at_least(std::atomic<uint32_t> &value, uint32_t least) {
    uint32_t seen = value.load();
    while (seen < least && !value.compare_exchange_weak(seen, least)) {
    }
}

/// Makes a chunk, if its segment has an entry and there is room.
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

ReadyWord new_scanning_word() {
    static constinit uint32_t counter = 0;
    return core::scanning_word(pg::backend_number(), ++counter);
}

uint32_t words_in_chunk(uint32_t chunk, uint32_t nblocks) {
    return std::min(nblocks - chunk * kBlocksPerChunk, kBlocksPerChunk);
}

/// The caller holds the chunk's partition lock. Words of blocks beyond the end are left out:
/// whoever adds such a block stores 0 when its rows become visible.
void raise_hint(ChunkEntry &chunk, uint32_t nwords) {
    ReadyWord scanning = new_scanning_word();
    chunk.hint.store(scanning);
    ReadyWord least = kNever;
    for (uint32_t i = 0; i < nwords; ++i)
        least = core::earlier(least, chunk.words[i].load());
    chunk.hint.compare_exchange_strong(scanning, least);
}

/// Looks for a due word in one chunk, from word `first` on. nwords if there is none.
uint32_t due_in_chunk(ChunkEntry &chunk, uint32_t first, uint32_t nwords, int64_t now) {
    if (!core::is_due(chunk.hint.load(), now, kHorizon))
        return nwords;
    for (uint32_t i = first; i < nwords; ++i)
        if (core::is_due(chunk.words[i].load(), now, kHorizon))
            return i;
    raise_hint(chunk, nwords);
    return nwords;
}

/// How many words from `first` on are kNever in this chunk.
uint32_t dead_words(const SegmentKey &key, uint32_t chunk_number, uint32_t first, uint32_t nwords) {
    Chunk chunk = find_chunk(key, chunk_number, LW_SHARED);
    uint32_t i = first;
    if (chunk.entry)
        while (i < nwords && chunk.entry->words[i].load() == kNever)
            ++i;
    LWLockRelease(chunk.lock);
    return i - first;
}

/// The caller holds the segment's lock: the new low mark is stored before chunks go.
void advance_low_mark(SegmentEntry &segment, uint32_t to) {
    uint32_t old_low = segment.low_block.load();
    uint32_t low = old_low;
    while (low < to) {
        uint32_t chunk = low / kBlocksPerChunk;
        uint32_t first = low % kBlocksPerChunk;
        uint32_t nwords = words_in_chunk(chunk, to);
        uint32_t dead = dead_words(segment.key, chunk, first, nwords);
        low += dead;
        if (first + dead < nwords)
            break;
    }
    if (low == old_low)
        return;
    segment.low_block.store(low);
    for (uint32_t chunk = old_low / kBlocksPerChunk; chunk < low / kBlocksPerChunk; ++chunk)
        remove_chunk(segment.key, chunk);
}

} // namespace

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

SegmentView peek_segment(const SegmentKey &key) {
    SegmentView view{kLookNow, 0};
    Segment segment = find_segment(key, LW_SHARED);
    if (segment.entry)
        view = {segment.entry->earliest.load(), segment.entry->low_block.load()};
    LWLockRelease(segment.lock);
    return view;
}

SegmentView view_segment(const SegmentKey &key) {
    Segment segment = find_segment(key, LW_SHARED);
    bool is_known = segment.entry != nullptr;
    LWLockRelease(segment.lock);
    if (!is_known)
        make_segment(key);
    return peek_segment(key);
}

uint32_t next_due_block(const SegmentKey &key, uint32_t from, uint32_t nblocks, int64_t now) {
    uint32_t block = from;
    while (block < nblocks) {
        uint32_t number = block / kBlocksPerChunk;
        uint32_t first = block % kBlocksPerChunk;
        uint32_t nwords = words_in_chunk(number, nblocks);
        Chunk chunk = find_chunk(key, number, LW_SHARED);
        uint32_t due = chunk.entry ? due_in_chunk(*chunk.entry, first, nwords, now) : first;
        LWLockRelease(chunk.lock);
        block = number * kBlocksPerChunk + due;
        if (due < nwords)
            break;
    }
    return block;
}

ReadyWord begin_block_scan(const SegmentKey &key, uint32_t block) {
    uint32_t number = block / kBlocksPerChunk;
    for (int attempt = 0; attempt < 2; ++attempt) {
        Chunk chunk = find_chunk(key, number, LW_SHARED);
        if (chunk.entry) {
            ReadyWord scanning = new_scanning_word();
            chunk.entry->words[block % kBlocksPerChunk].store(scanning);
            LWLockRelease(chunk.lock);
            return scanning;
        }
        LWLockRelease(chunk.lock);
        if (attempt == 0)
            make_chunk(key, number);
    }
    return kLookNow;
}

void end_block_scan(const SegmentKey &key, uint32_t block, ReadyWord scan, int64_t now,
                    const BlockFinding &finding) {
    if (scan == kLookNow)
        return;
    uint32_t i = block % kBlocksPerChunk;
    Chunk chunk = find_chunk(key, block / kBlocksPerChunk, LW_SHARED);
    if (chunk.entry) {
        ReadyWord next = finding.next;
        auto &tries = chunk.entry->tries[i];
        if (finding.is_in_progress && next != kLookNow) {
            uint8_t done = tries.load();
            next = core::earlier(next, now + core::safety_net(done));
            if (done < UINT8_MAX)
                tries.store(static_cast<uint8_t>(done + 1));
        } else {
            tries.store(0);
        }
        chunk.entry->live[i].store(finding.live_rows);
        chunk.entry->words[i].compare_exchange_strong(scan, next);
    }
    LWLockRelease(chunk.lock);
}

bool note_settled(const SegmentKey &key, uint32_t block, uint16_t rows) {
    bool is_last = false;
    Chunk chunk = find_chunk(key, block / kBlocksPerChunk, LW_SHARED);
    if (chunk.entry) {
        auto &live = chunk.entry->live[block % kBlocksPerChunk];
        uint16_t seen = live.load();
        uint16_t left = 0;
        do {
            left = seen > rows ? static_cast<uint16_t>(seen - rows) : uint16_t{0};
        } while (!live.compare_exchange_weak(seen, left));
        is_last = left == 0;
    }
    LWLockRelease(chunk.lock);
    return is_last;
}

void mark_look_now(const SegmentKey &key, uint32_t lo, uint32_t hi) {
    for (uint32_t number = lo / kBlocksPerChunk; number <= hi / kBlocksPerChunk; ++number) {
        uint32_t base = number * kBlocksPerChunk;
        uint32_t first = lo > base ? lo - base : 0;
        uint32_t last = std::min(hi - base, kBlocksPerChunk - 1);
        Chunk chunk = find_chunk(key, number, LW_SHARED);
        if (chunk.entry) {
            for (uint32_t i = first; i <= last; ++i) {
                chunk.entry->tries[i].store(0, std::memory_order_relaxed);
                chunk.entry->words[i].store(kLookNow);
            }
            chunk.entry->hint.store(kLookNow);
        }
        LWLockRelease(chunk.lock);
    }
    Segment segment = find_segment(key, LW_SHARED);
    if (segment.entry) {
        segment.entry->earliest.store(kLookNow);
        LWLockAcquire(&segment.entry->lock, LW_EXCLUSIVE);
        if (segment.entry->low_block.load() > lo)
            segment.entry->low_block.store(lo);
        LWLockRelease(&segment.entry->lock);
    }
    LWLockRelease(segment.lock);
}

bool is_believed_dead(const SegmentKey &key, uint32_t block) {
    SegmentView view = peek_segment(key);
    if (block < view.low_block)
        return true;
    Chunk chunk = find_chunk(key, block / kBlocksPerChunk, LW_SHARED);
    bool is_dead = chunk.entry && chunk.entry->words[block % kBlocksPerChunk].load() == kNever;
    LWLockRelease(chunk.lock);
    return is_dead;
}

void raise_low_mark(const SegmentKey &key, uint32_t to) {
    Segment segment = find_segment(key, LW_SHARED);
    if (segment.entry && segment.entry->low_block.load() < to) {
        LWLockAcquire(&segment.entry->lock, LW_EXCLUSIVE);
        advance_low_mark(*segment.entry, to);
        LWLockRelease(&segment.entry->lock);
    }
    LWLockRelease(segment.lock);
}

SegmentView raise_marks(const SegmentKey &key, uint32_t nblocks) {
    raise_low_mark(key, nblocks);
    SegmentView view{kLookNow, 0};
    Segment segment = find_segment(key, LW_SHARED);
    if (segment.entry) {
        ReadyWord scanning = new_scanning_word();
        segment.entry->earliest.store(scanning);
        uint32_t low = segment.entry->low_block.load();
        ReadyWord least = kNever;
        for (uint32_t block = low; block < nblocks && least != kLookNow;) {
            uint32_t number = block / kBlocksPerChunk;
            Chunk chunk = find_chunk(key, number, LW_SHARED);
            least = core::earlier(least, chunk.entry ? chunk.entry->hint.load() : kLookNow);
            LWLockRelease(chunk.lock);
            block = (number + 1) * kBlocksPerChunk;
        }
        segment.entry->earliest.compare_exchange_strong(scanning, least);
        view = {segment.entry->earliest.load(), low};
    }
    LWLockRelease(segment.lock);
    return view;
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

int forget_segments_if(Oid database, bool (*is_gone)(const SegmentKey &, void *), void *argument) {
    auto limit = static_cast<Size>(segment_limit());
    auto *keys = static_cast<SegmentKey *>(palloc(limit * sizeof(SegmentKey)));
    Size count = 0;
    for (int i = 0; i < kPartitions; ++i)
        LWLockAcquire(&locks_[i].lock, LW_SHARED);
    HASH_SEQ_STATUS status;
    hash_seq_init(&status, segments_);
    while (auto *entry = static_cast<SegmentEntry *>(hash_seq_search(&status)))
        if (entry->key.database == database && count < limit)
            keys[count++] = entry->key;
    for (int i = kPartitions; --i >= 0;)
        LWLockRelease(&locks_[i].lock);
    int forgotten = 0;
    for (Size i = 0; i < count; ++i)
        if (is_gone(keys[i], argument)) {
            forget_segment(keys[i]);
            ++forgotten;
        }
    pfree(keys);
    return forgotten;
}

ReadyMapUse ready_map_use() {
    return {hash_get_num_entries(segments_), segment_limit(), hash_get_num_entries(chunks_),
            chunk_limit()};
}

} // namespace baton::shared
