// Randomness for receipts, jitter and identifiers, seeded per process from the server's strong
// source.
#pragma once

#include "pg/prelude.h"

namespace baton::pg {

/// 64 random bits. Unpredictable from outside the server; reseeded after fork.
uint64_t random_bits();

/// 32 random bits, never 0.
uint32_t random_nonce();

/// A new time-ordered identifier (uuid v7); increasing within the process.
pg_uuid_t new_uuid(int64_t now);

} // namespace baton::pg
