// The settings of a queue: their names, units, defaults and bounds; from and to jsonb.
#pragma once

#include "core/retry.h"
#include "pg/prelude.h"

namespace baton::queue {

/// Effective settings; durations in microseconds, 0 = none where allowed.
struct QueueSettings {
    int64_t visibility_timeout;
    int32_t max_attempts;
    int64_t backoff_base;
    int64_t backoff_cap;
    core::Jitter jitter;
    int64_t max_elapsed;
    bool idempotent_effects;
    bool is_unlogged;
};

/// The settings that a stored object (only what the owner set) stands for.
QueueSettings settings_from(Jsonb *stored);

/// Merges changes into a stored object: a missing name is unchanged, null goes back to the default.
/// Raises 22023 for an unknown name (with the nearest one as hint), a wrong type or a value out of
/// bounds, and for a setting that is fixed at creation. `stored` is nullptr at creation.
Jsonb *merge_settings(Jsonb *stored, Jsonb *changes);

/// Normalised options of one message from what its sender gave; 22023 as merge_settings, and for
/// settings that only a queue can have.
Jsonb *message_options(Jsonb *given);

/// The queue's settings with a message's stored options in place of the queue's own.
QueueSettings with_options(const QueueSettings &settings, Jsonb *options);

/// The settings for one row of the queue.
QueueSettings settings_for(const QueueSettings &settings, HeapTuple row, TupleDesc columns);

/// All settings with their effective values.
Jsonb *effective_settings(Jsonb *stored);

core::RetryPolicy retry_policy(const QueueSettings &settings);

} // namespace baton::queue
