// Looking at blocks and marking them.

#include "shared/ready_map_tables.h"

namespace baton::shared {
namespace {

using core::kLookNow;
using core::ReadyWord;

/// The caller holds the chunk's partition lock. The relation's length is read after the scanning
/// word was stored, as all that a summary is made of: whoever adds a block and stores 0 for it
/// before is then seen, and whoever does so later makes the swap fail.
void raise_hint(ChunkEntry &chunk, Relation relation) {
    ReadyWord scanning = new_scanning_word();
    chunk.hint.store(scanning);
    uint32_t nwords = words_in_chunk(chunk.key.chunk, RelationGetNumberOfBlocks(relation));
    ReadyWord least = core::kNever;
    for (uint32_t i = 0; i < nwords; ++i)
        least = core::earlier(least, chunk.words[i].load());
    chunk.hint.compare_exchange_strong(scanning, least);
}

/// Looks for a due word in one chunk, from word `first` on. nwords if there is none.
uint32_t due_in_chunk(ChunkEntry &chunk, Relation relation, uint32_t first, uint32_t nwords,
                      int64_t now) {
    if (!core::is_due(chunk.hint.load(), now, kHorizon))
        return nwords;
    for (uint32_t i = first; i < nwords; ++i)
        if (core::is_due(chunk.words[i].load(), now, kHorizon))
            return i;
    raise_hint(chunk, relation);
    return nwords;
}

} // namespace

ReadyWord new_scanning_word() {
    static constinit uint32_t counter = 0;
    return core::scanning_word(pg::backend_number(), ++counter);
}

SegmentView peek_segment(const SegmentKey &key) {
    SegmentView view{kLookNow, 0};
    Segment segment = find_segment(key, LW_SHARED);
    if (segment.entry)
        view = {segment.entry->earliest.load(), segment.entry->low_block.load()};
    LWLockRelease(segment.lock);
    return view;
}

bool has_segment(const SegmentKey &key) {
    Segment segment = find_segment(key, LW_SHARED);
    bool is_known = segment.entry != nullptr;
    LWLockRelease(segment.lock);
    return is_known;
}

SegmentView view_segment(const SegmentKey &key, uint32_t low_if_missing) {
    if (!has_segment(key))
        make_segment(key, low_if_missing);
    return peek_segment(key);
}

uint32_t next_due_block(const SegmentKey &key, Relation relation, uint32_t from, uint32_t nblocks,
                        int64_t now) {
    uint32_t block = from;
    while (block < nblocks) {
        uint32_t number = block / kBlocksPerChunk;
        uint32_t first = block % kBlocksPerChunk;
        uint32_t nwords = words_in_chunk(number, nblocks);
        Chunk chunk = find_chunk(key, number, LW_SHARED);
        uint32_t due = first;
        if (chunk.entry)
            due = due_in_chunk(*chunk.entry, relation, first, nwords, now);
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
        LWLockAcquire(&segment.entry->lock, LW_EXCLUSIVE);
        if (segment.entry->low_block.load() > lo)
            segment.entry->low_block.store(lo);
        LWLockRelease(&segment.entry->lock);
        segment.entry->earliest.store(kLookNow); // last, since it is computed from all the others
    }
    LWLockRelease(segment.lock);
}

} // namespace baton::shared
