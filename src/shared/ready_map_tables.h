// The ready map's two hash tables: segments and chunks. Only ready_map.cpp and ready_marks.cpp look
// into them. Lock order: a partition of the segment table, the segment's own lock, a partition of
// the chunk table.
#pragma once

#include "shared/ready_map.h"

namespace baton::shared {

struct SegmentEntry {
    SegmentKey key;
    std::atomic<core::ReadyWord> earliest;
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
    std::atomic<core::ReadyWord> hint;
    std::atomic<core::ReadyWord> words[kBlocksPerChunk];
    std::atomic<uint16_t> live[kBlocksPerChunk]; // rows left at the last look; a hint
    std::atomic<uint8_t> tries[kBlocksPerChunk]; // looks in a row that met running transactions
};

// Lookups return with the partition's lock held, which the caller releases by hand: nothing in
// between can fail.
struct Segment {
    SegmentEntry *entry; // nullptr if missing
    LWLock *lock;
};

struct Chunk {
    ChunkEntry *entry; // nullptr if missing
    LWLock *lock;
};

// What the map takes for a page of live backlog, with the hash table's own link, hash value and
// bucket.
static_assert((sizeof(ChunkEntry) + 32) / kBlocksPerChunk < 16);

Segment find_segment(const SegmentKey &key, LWLockMode mode);
Chunk find_chunk(const SegmentKey &segment, uint32_t chunk, LWLockMode mode);

/// Does nothing if it exists or there is no room.
void make_segment(const SegmentKey &key, uint32_t low_block);

/// Makes a chunk, if its segment has an entry and there is room.
void make_chunk(const SegmentKey &key, uint32_t number);

void remove_chunk(const SegmentKey &segment, uint32_t chunk);

/// Never the same for two scans of one server.
core::ReadyWord new_scanning_word();

/// How many blocks of the chunk a relation of that length has.
inline uint32_t words_in_chunk(uint32_t chunk, uint32_t nblocks) {
    uint32_t base = chunk * kBlocksPerChunk;
    return nblocks > base ? std::min(nblocks - base, kBlocksPerChunk) : 0;
}

} // namespace baton::shared
