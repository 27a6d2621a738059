// The consumer dictionary: numbers for pairs of consumer and version, in the preallocated rows of
// baton._consumer. Rows are filled in place, outside of any transaction, since the leases that name
// them are not transactional either.
#pragma once

#include "pg/prelude.h"

namespace baton::store {

struct ConsumerName {
    NameData name;
    NameData version;
    friend bool operator==(const ConsumerName &a, const ConsumerName &b) {
        return memcmp(&a, &b, sizeof(ConsumerName)) == 0;
    }
};

/// The number of the pair, entered if new; 0 (unknown) if the table has no rows. When the table is
/// full another pair is overwritten; a check part in the number makes the old numbers read as
/// unknown.
int32_t consumer_entry(Oid table, const ConsumerName &consumer);

/// The pair with that number; nothing if unknown.
std::optional<ConsumerName> find_consumer_entry(Oid table, int32_t number);

/// The numbers of all pairs with that name, whatever the version. Returns how many; at most `room`.
int consumer_entries(Oid table, const NameData &name, int32_t *numbers, int room);

} // namespace baton::store
