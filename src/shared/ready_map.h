// The ready map: for every block of every live segment the earliest time at which it can hold
// something to claim. A cache in shared memory that may be lost at any time: a missing entry means
// "look now", never an error.
//
// Levels: a word per block; a hint per chunk of 64 blocks (a lower bound over its words);
// `earliest` per segment (a lower bound over its hints). Values: core/ready_word.h. All levels
// follow one protocol (test/model):
//   evaluating:  store a unique scanning word, fence, look, compare-and-swap it to what was found;
//   making something claimable (after it became visible): store 0 in word and hint, lower the low
//   mark, store 0 in earliest, signal the queue, in this order. A summary is set to 0 after all
//   that it is computed from, and whoever evaluates one reads all that it is computed from - words,
//   hints, low mark, the relation's length - after the scanning word was stored.
// The low mark is the first block not known dead. It is raised only under the segment's lock, over
// words that are re-read there and are kNever; chunks wholly below it are freed. Nothing keeps a
// pointer to a chunk: every access looks it up under its partition's lock, since a freed chunk may
// serve another segment.
#pragma once

#include "core/micros.h"
#include "core/ready_word.h"
#include "pg/prelude.h"

namespace baton::shared {

constexpr uint32_t kBlocksPerChunk = 64;

/// A word further ahead than any delay that can be asked for is damaged, or the clock jumped: look
/// now.
constexpr int64_t kHorizon = 11 * core::kYear;

/// One filling of one segment: its storage file in its database.
struct SegmentKey {
    Oid database;
    pg::FileNumber file;
    friend bool operator==(const SegmentKey &, const SegmentKey &) = default;
};

/// What the map knows of a whole segment.
struct SegmentView {
    core::ReadyWord earliest; // nothing can be claimed before; kLookNow if unknown
    uint32_t low_block;       // blocks below hold nothing, as far as known
};

/// What a scan of one block found.
struct BlockFinding {
    core::ReadyWord next; // when to look again; kNever if wholly dead
    uint16_t live_rows;   // rows that are not dead
    bool is_in_progress;  // whether a running transaction's rows are among them: look again with a
                          // growing safety net
};

Size ready_map_size();
void init_ready_map(bool is_found);
void request_ready_map_locks();

bool has_segment(const SegmentKey &key);

/// The segment's entry, made if missing and if there is room; a new one starts with that low mark.
SegmentView view_segment(const SegmentKey &key, uint32_t low_if_missing);

/// The segment's entry if there is one.
SegmentView peek_segment(const SegmentKey &key);

/// The first block in [from, nblocks) that is due at `now`; nblocks if none. Raises hints of chunks
/// that it passed whole, so it may raise what reading the relation's length raises.
uint32_t next_due_block(const SegmentKey &key, Relation relation, uint32_t from, uint32_t nblocks,
                        int64_t now);

/// Marks the block as being looked at. Returns the scan's word, to be given to end_block_scan; 0
/// without room. The caller holds the page's exclusive lock until end_block_scan.
core::ReadyWord begin_block_scan(const SegmentKey &key, uint32_t block);
void end_block_scan(const SegmentKey &key, uint32_t block, core::ReadyWord scan, int64_t now,
                    const BlockFinding &finding);

/// Says that `rows` rows of the block got a deleter. True if no row is left that is known: worth a
/// look at commit.
bool note_settled(const SegmentKey &key, uint32_t block, uint16_t rows);

/// Stores "look now" for the blocks lo..hi and lowers the low mark. Cannot fail: safe in commit and
/// abort callbacks.
void mark_look_now(const SegmentKey &key, uint32_t lo, uint32_t hi);

/// True if the map has the block as wholly dead.
bool is_believed_dead(const SegmentKey &key, uint32_t block);

/// After a scan of the whole segment found nothing due: raises the low mark over dead blocks, then
/// `earliest` to the least hint. Returns the new view.
SegmentView raise_marks(const SegmentKey &key, Relation relation);

/// Raises the low mark over dead blocks, at most to `to`.
void raise_low_mark(const SegmentKey &key, uint32_t to);

/// Forgets everything of a segment: it was created, emptied or dropped.
void forget_segment(const SegmentKey &key);

/// The segments of a database that the map knows, in the current memory context; InvalidOid: of
/// all.
std::span<SegmentKey> segments_of(Oid database);

/// Forgets every segment of a database; InvalidOid: of all.
void forget_segments_of(Oid database);

/// Compares the clock with what receivers went by before. After a step back by more than
/// core::kClockTolerance the map's times lie too far ahead, and which leases end at once by
/// core/lease_clock.h only the rows can tell: everything is forgotten, that is, looked at again.
void heed_clock(int64_t now);

struct ReadyMapUse {
    int64_t segments, segments_max, chunks, chunks_max;
};
ReadyMapUse ready_map_use();

} // namespace baton::shared
