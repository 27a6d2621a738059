// A small pool of strong random bits, refilled from the server's source.

#include "pg/random.h"

#include "core/uuid7.h"

namespace baton::pg {
namespace {

constexpr int kPoolWords = 64;
constinit uint64_t pool_[kPoolWords] = {};
constinit int left_ = 0;
constinit int pool_owner_ = 0; // process id: a forked process must not share the pool
constinit core::Uuid7Generator ids_;

void refill() {
    if (!pg_strong_random(pool_, sizeof(pool_)))
        ereport(ERROR,
                (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values")));
    left_ = kPoolWords;
    pool_owner_ = MyProcPid;
}

} // namespace

uint64_t random_bits() {
    if (left_ == 0 || pool_owner_ != MyProcPid)
        refill();
    return pool_[--left_];
}

uint32_t random_nonce() {
    uint32_t nonce = 0;
    while (nonce == 0)
        nonce = static_cast<uint32_t>(random_bits());
    return nonce;
}

pg_uuid_t new_uuid(int64_t now) {
    constexpr int64_t kEpochShiftMs =
        int64_t{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE} * SECS_PER_DAY * 1000;
    core::Uuid id = ids_.next(now / 1000 + kEpochShiftMs, random_bits(), random_bits());
    pg_uuid_t result;
    memcpy(result.data, id.bytes.data(), UUID_LEN);
    return result;
}

} // namespace baton::pg
