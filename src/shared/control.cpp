// Requests and sets up the shared memory of all structures.

#include "shared/control.h"

#include "shared/prepared.h"
#include "shared/queue_state.h"
#include "shared/ready_map.h"
#include "shared/roster.h"

namespace baton::shared {
namespace {

constinit Control *control_ = nullptr;
constinit shmem_request_hook_type previous_request_hook = nullptr;
constinit shmem_startup_hook_type previous_startup_hook = nullptr;

bool was_shut_down_cleanly() {
    bool is_crc_ok = false;
    ControlFileData *file = get_controlfile(DataDir, &is_crc_ok);
    bool is_clean =
        is_crc_ok && (file->state == DB_SHUTDOWNED || file->state == DB_SHUTDOWNED_IN_RECOVERY);
    pfree(file);
    return is_clean;
}

extern "C" void baton_request_shared_memory() {
    if (previous_request_hook)
        previous_request_hook();
    RequestAddinShmemSpace(MAXALIGN(sizeof(Control)));
    RequestAddinShmemSpace(ready_map_size());
    RequestAddinShmemSpace(queue_states_size());
    RequestAddinShmemSpace(roster_size());
    request_ready_map_locks();
    request_queue_state_locks();
    RequestAddinShmemSpace(prepared_size());
    request_prepared_locks();
    request_roster_locks();
}

/// Leases change pages that hint bits change too, without WAL; that is legal, but the checking of
/// generic records does not mask hint bits and would make recovery impossible.
void refuse_consistency_checking() {
    if (wal_consistency_checking && wal_consistency_checking[RM_GENERIC_ID])
        ereport(FATAL, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("baton does not work with wal_consistency_checking for \"generic\""),
                        errhint("Leave \"all\" and \"generic\" out of wal_consistency_checking.")));
}

extern "C" void baton_start_shared_memory() {
    if (previous_startup_hook)
        previous_startup_hook();
    refuse_consistency_checking();
    LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
    bool is_found = false;
    control_ = static_cast<Control *>(ShmemInitStruct("baton control", sizeof(Control), &is_found));
    if (!is_found) {
        control_->started_at = GetCurrentTimestamp();
        control_->latest_clock.store(control_->started_at);
        control_->is_unclean_start = !was_shut_down_cleanly();
    }
    init_ready_map(is_found);
    init_queue_states(is_found);
    init_prepared(is_found);
    init_roster(is_found);
    LWLockRelease(AddinShmemInitLock);
}

} // namespace

void install_shared_memory() {
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = baton_request_shared_memory;
    previous_startup_hook = shmem_startup_hook;
    shmem_startup_hook = baton_start_shared_memory;
}

bool is_preloaded() {
    return control_ != nullptr;
}

Control &control() {
    return *control_;
}

} // namespace baton::shared
