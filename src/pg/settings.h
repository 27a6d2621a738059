// The configuration settings `baton.*`: declared once at load, read by everyone.
#pragma once

#include "pg/prelude.h"

namespace baton::pg {

enum FlushLeases : int { kFlushAfterCrash, kFlushAlways, kFlushOff };

struct Settings {
    int max_queues;           // queues that get shared memory (wake-ups); others work, slower
    int ready_map_kb;         // shared memory for the ready map, kB
    int max_wait_ms;          // cap on the wait of receive and of CALL baton.wait
    int segment_size_kb;      // a segment this large gets a successor, kB
    int flush_leases;         // FlushLeases
    double clock_shift_s;     // test setting: added to the clock, seconds
    int outbox_retention_s;   // events that nobody subscribes to are kept this long, seconds
    int later_threshold_s;    // messages with a longer delay wait outside of the segments, seconds
    int relay_batch_size;     // events relayed per transaction
    int turnover_interval_ms; // least time between two emptyings in one database
    bool is_worker_enabled;   // whether databases get a worker
};

extern Settings settings;

/// Declares all settings; called once from _PG_init, before shared memory is requested.
void declare_settings();

} // namespace baton::pg
