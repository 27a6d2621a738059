// What a queue is: its number, name, settings and chain of segments, cached per backend.
#pragma once

#include "core/pause.h"
#include "core/retry.h"
#include "pg/prelude.h"
#include "queue/queue_settings.h"
#include "store/claim.h"

namespace baton::queue {

struct QueueInfo {
    uint32_t id;
    Oid anchor; // the empty table baton.q<id> that carries the queue's owner and privileges
    NameData name;
    QueueSettings settings;
    core::Pause pause; // as of when this was read; see current_pause
};

/// A queue's segments, oldest first; rows are appended to the last. Read for this call, in the
/// current memory context.
struct Chain {
    Oid *segments;
    int count;
};

/// The queue of that name. Raises 42704 if there is none. A queue whose anchor was dropped (DROP
/// OWNED BY its owner) is none: only remains, for baton.drop_queue and baton.create_queue to clear.
/// `hint` goes with the error instead of the usual one.
QueueInfo find_queue(text *name, const char *hint = nullptr);
std::optional<QueueInfo> find_remains(text *name);

/// The queue with that number; nothing if there is none.
std::optional<QueueInfo> find_queue_by_id(uint32_t id);

/// The queue's pause as committed by now, whatever the caller holds; none if the queue is gone.
core::Pause current_pause(uint32_t id);

/// The outbox as a queue.
QueueInfo outbox();

Chain chain_of(uint32_t queue);

/// The name of the segment's table.
void segment_name(uint32_t queue, int32_t slot, NameData *name);

enum class Privilege : uint8_t { kSend, kConsume, kManage };

/// The privilege on the anchor table that carries it, as in GRANT.
const char *sql_of(Privilege privilege);

/// Raises 42501 unless the current role owns the queue or was granted the privilege.
void require_privilege(const QueueInfo &queue, Privilege privilege);
bool has_privilege(const QueueInfo &queue, Privilege privilege);

/// Length and encoding of a new queue's name; raises 22023.
void check_queue_name(std::string_view name);

} // namespace baton::queue
