// Consumers by number: what a lease remembers of who holds it.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

/// The number to write into leases; 0 for an unnamed consumer. Names are cut to 63 bytes.
int32_t consumer_number(text *consumer, text *version);

/// All numbers of a consumer, one per version. At most `room`; returns how many.
int consumer_numbers(text *consumer, int32_t *numbers, int room);

/// Who a number stands for; nullptr where unknown or not given.
struct Consumer {
    const char *name;
    const char *version;
};
Consumer consumer_of(int32_t number);

} // namespace baton::queue
