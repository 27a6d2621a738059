// Reads the clock and turns SQL intervals into microseconds.

#include "pg/clock.h"

#include "pg/settings.h"

namespace baton::pg {

int64_t clock_now() {
    int64_t now = GetCurrentTimestamp();
    if (unlikely(settings.clock_shift_s != 0))
        now += static_cast<int64_t>(settings.clock_shift_s * static_cast<double>(kMicrosPerSecond));
    return now;
}

int64_t interval_micros(const Interval *interval) {
    int64_t days = static_cast<int64_t>(interval->month) * DAYS_PER_MONTH + interval->day;
    int64_t micros = 0;
    int64_t sum = 0;
    if (__builtin_mul_overflow(days, USECS_PER_DAY, &micros) ||
        __builtin_add_overflow(micros, interval->time, &sum)) {
        bool is_negative = days < 0;
        return is_negative ? std::numeric_limits<int64_t>::min()
                           : std::numeric_limits<int64_t>::max();
    }
    return sum;
}

std::optional<int64_t> parse_interval(const char *text) {
    char *fields[MAXDATEFIELDS];
    int types[MAXDATEFIELDS];
    char buffer[MAXDATELEN * 2];
    int count = 0;
    int kind = DTK_DELTA;
    pg_itm_in parts = {};
    Interval interval;
    int error = ParseDateTime(text, buffer, sizeof(buffer), fields, types, MAXDATEFIELDS, &count);
    if (error == 0)
        error = DecodeInterval(fields, types, count, INTERVAL_FULL_RANGE, &kind, &parts);
    if (error == DTERR_BAD_FORMAT)
        error = DecodeISO8601Interval(pstrdup(text), &kind, &parts);
    if (error != 0 || kind != DTK_DELTA || itmin2interval(&parts, &interval) != 0)
        return std::nullopt;
    return interval_micros(&interval);
}

} // namespace baton::pg
