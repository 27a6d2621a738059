// The low mark and `earliest` of a segment.

#include "shared/ready_map_tables.h"

namespace baton::shared {
namespace {

using core::kLookNow;
using core::kNever;
using core::ReadyWord;

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

SegmentView raise_marks(const SegmentKey &key, Relation relation) {
    raise_low_mark(key, RelationGetNumberOfBlocks(relation));
    SegmentView view{kLookNow, 0};
    Segment segment = find_segment(key, LW_SHARED);
    if (segment.entry) {
        ReadyWord scanning = new_scanning_word();
        segment.entry->earliest.store(scanning);
        uint32_t low = segment.entry->low_block.load();
        uint32_t nblocks = RelationGetNumberOfBlocks(relation);
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

} // namespace baton::shared
