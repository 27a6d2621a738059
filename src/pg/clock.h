// The one clock of leases, delays and retention.
#pragma once

#include "pg/prelude.h"

namespace baton::pg {

constexpr int64_t kMicrosPerSecond = 1000000;

/// Wall clock now, microseconds since the server's epoch (2000-01-01 UTC), plus the test setting
/// baton.clock_shift.
int64_t clock_now();

/// An interval as exact microseconds: a month is 30 days and a day 24 hours, whatever the calendar
/// or time zone. Saturates at about 292 000 years.
int64_t interval_micros(const Interval *interval);

/// The same of a text in the syntax of interval; nothing if it is none, where the type's own input
/// function would raise.
std::optional<int64_t> parse_interval(const char *text);

} // namespace baton::pg
