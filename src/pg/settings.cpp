// Declares the settings with their units, bounds and help texts.

#include "pg/settings.h"

namespace baton::pg {

constinit Settings settings = {};

namespace {

const config_enum_entry kFlushLeasesOptions[] = {{"after_crash", kFlushAfterCrash, false},
                                                 {"always", kFlushAlways, false},
                                                 {"off", kFlushOff, false},
                                                 {nullptr, 0, false}};

void declare_memory_settings() {
    DefineCustomIntVariable(
        "baton.max_queues", "Number of queues that get a place in shared memory.",
        "Queues beyond it work, but a waiting receive looks once a second instead of being woken.",
        &settings.max_queues, 4096, 32, 1000000, PGC_POSTMASTER, 0, nullptr, nullptr, nullptr);
    DefineCustomIntVariable(
        "baton.ready_map_memory", "Shared memory for the map of what is ready.",
        "About 12 bytes for every 8 kB of waiting messages. When it is full, receives read pages instead.",
        &settings.ready_map_kb, 16 * 1024, 256, 64 * 1024 * 1024, PGC_POSTMASTER, GUC_UNIT_KB,
        nullptr, nullptr, nullptr);
}

void declare_engine_settings() {
    DefineCustomIntVariable("baton.max_wait", "Longest time that a receive or baton.wait may wait.",
                            "Longer waits are cut to this.", &settings.max_wait_ms, 60 * 1000, 0,
                            INT_MAX, PGC_USERSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
    DefineCustomIntVariable("baton.segment_size",
                            "Size at which a queue's segment gets a successor.", nullptr,
                            &settings.segment_size_kb, 64 * 1024, 64, 1024 * 1024, PGC_SIGHUP,
                            GUC_UNIT_KB, nullptr, nullptr, nullptr);
    DefineCustomEnumVariable(
        "baton.flush_leases", "When leases are flushed to disk before they are handed out.",
        "after_crash: for messages older than an unclean start of the server, so that a message "
        "that crashes the server is counted.",
        &settings.flush_leases, kFlushAfterCrash, kFlushLeasesOptions, PGC_SIGHUP, 0, nullptr,
        nullptr, nullptr);
    DefineCustomRealVariable(
        "baton.clock_shift", "Test setting: seconds added to the clock of leases and delays.",
        nullptr, &settings.clock_shift_s, 0, -1e9, 1e9, PGC_SUSET,
        GUC_UNIT_S | GUC_NOT_IN_SAMPLE | GUC_NO_RESET_ALL, nullptr, nullptr, nullptr);
}

void declare_worker_settings() {
    DefineCustomBoolVariable(
        "baton.worker", "Whether databases with the extension get a worker.",
        "Off: nothing is relayed and no segment is turned over; send, receive and ack go on.",
        &settings.is_worker_enabled, true, PGC_SIGHUP, 0, nullptr, nullptr, nullptr);
    DefineCustomIntVariable("baton.outbox_retention",
                            "How long an event is kept that nobody subscribes to.", nullptr,
                            &settings.outbox_retention_s, 48 * 3600, 0, INT_MAX, PGC_SIGHUP,
                            GUC_UNIT_S, nullptr, nullptr, nullptr);
    DefineCustomIntVariable(
        "baton.later_threshold", "Messages with a longer delay wait outside of the segments.",
        "The worker moves them into their queue when they are due.", &settings.later_threshold_s,
        60, 0, INT_MAX, PGC_SUSET, GUC_UNIT_S, nullptr, nullptr, nullptr);
    DefineCustomIntVariable(
        "baton.relay_batch_size", "Events that the relay moves in one transaction.", nullptr,
        &settings.relay_batch_size, 1000, 1, 100000, PGC_SIGHUP, 0, nullptr, nullptr, nullptr);
    DefineCustomIntVariable(
        "baton.turnover_interval", "Least time between two emptyings of segments in a database.",
        "Emptying a segment takes a lock that a standby replays.", &settings.turnover_interval_ms,
        1000, 10, INT_MAX, PGC_SIGHUP, GUC_UNIT_MS, nullptr, nullptr, nullptr);
}

} // namespace

void declare_settings() {
    declare_memory_settings();
    declare_engine_settings();
    declare_worker_settings();
    MarkGUCPrefixReserved("baton");
}

} // namespace baton::pg
