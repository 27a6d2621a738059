// Adds up what a message takes as text. Only large messages are looked into: the densest jsonb
// becomes less than ten thousand times as long.

#include "queue/message_size.h"

#include "core/text_size.h"
#include "pg/error.h"

namespace baton::queue {
namespace {

/// What is left of the server's 1 GB for the other columns of a message, a dead letter or a result.
constexpr uint64_t kMostBytes = MaxAllocSize - 1024 * 1024;
/// Below this nothing can become too long: a number is at least 16 bytes of jsonb and at most
/// kMostPerNumber of text.
constexpr uint64_t kSmall = 64 * 1024;
constexpr uint64_t kMostPerNumber = 131072 + 16383 + 2;
static_assert(kSmall / 16 * kMostPerNumber + kSmall * core::kMostPerJsonByte < kMostBytes);

constexpr store::RowAttribute kLong[] = {store::kKey, store::kHeaders, store::kPayload,
                                         store::kBody};

/// How closely to look: a quick upper bound, or nearly the very length.
enum class Precision : uint8_t { kBound, kClose };

/// An upper bound, by at most a few digits, from the number's binary form: count of digits to the
/// base 10000, exponent of the first, sign, decimal places.
uint64_t number_size(Numeric number, Precision precision) {
    if (precision == Precision::kBound)
        return kMostPerNumber;
    StringInfoData form;
    bytea *binary = DatumGetByteaPP(DirectFunctionCall1(numeric_send, NumericGetDatum(number)));
    form.data = VARDATA_ANY(binary);
    form.len = form.maxlen = static_cast<int>(VARSIZE_ANY_EXHDR(binary));
    form.cursor = static_cast<int>(sizeof(uint16));
    auto exponent = static_cast<int16_t>(pq_getmsgint(&form, sizeof(uint16)));
    (void)pq_getmsgint(&form, sizeof(uint16));
    auto places = static_cast<uint16_t>(pq_getmsgint(&form, sizeof(uint16)));
    pfree(binary);
    constexpr int kDigits = 4;
    return static_cast<uint64_t>(kDigits * std::max(exponent + 1, 1)) + places + 2;
}

uint64_t string_size(const JsonbValue &value, Precision precision) {
    std::string_view text{value.val.string.val, static_cast<size_t>(value.val.string.len)};
    return precision == Precision::kBound ? text.size() * core::kMostPerJsonByte
                                          : core::json_string_size(text);
}

uint64_t scalar_size(const JsonbValue &value, Precision precision) {
    constexpr uint64_t kWord = 5; // false
    constexpr uint64_t kQuotes = 2;
    if (value.type == jbvNumeric)
        return number_size(value.val.numeric, precision);
    return value.type == jbvString ? string_size(value, precision) + kQuotes : kWord;
}

uint64_t jsonb_size(Datum datum, Precision precision) {
    constexpr uint64_t kBetween = 2; // ", " or ": " or a pair of brackets
    uint64_t size = 0;
    Jsonb *object = DatumGetJsonbP(datum);
    JsonbIterator *iterator = JsonbIteratorInit(&object->root);
    JsonbValue token;
    JsonbIteratorToken type;
    while ((type = JsonbIteratorNext(&iterator, &token, false)) != WJB_DONE) {
        CHECK_FOR_INTERRUPTS();
        size += kBetween;
        if (type == WJB_KEY || type == WJB_VALUE || type == WJB_ELEM)
            size += scalar_size(token, precision);
    }
    if (PointerGetDatum(object) != datum)
        pfree(object);
    return size;
}

uint64_t key_size(Datum key) {
    text *value = DatumGetTextPP(key);
    uint64_t size =
        core::copy_text_size({VARDATA_ANY(value), static_cast<size_t>(VARSIZE_ANY_EXHDR(value))});
    if (PointerGetDatum(value) != key)
        pfree(value);
    return size;
}

uint64_t stored_size(const store::RowValues &row, store::RowAttribute attribute) {
    return row.nulls[attribute - 1] ? 0 : toast_raw_datum_size(row.values[attribute - 1]);
}

uint64_t text_size(const store::RowValues &row, Precision precision) {
    uint64_t size = 2 * stored_size(row, store::kBody); // hexadecimal
    for (store::RowAttribute attribute : {store::kHeaders, store::kPayload})
        if (!row.nulls[attribute - 1])
            size += jsonb_size(row.values[attribute - 1], precision);
    if (!row.nulls[store::kKey - 1])
        size += key_size(row.values[store::kKey - 1]);
    return size;
}

[[noreturn]] void raise_too_large(int position) {
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("message is too large"),
             position == 0
                 ? errdetail("Its payload, headers, key and body together take more than 1 GB as "
                             "text; a byte of the body takes two.")
                 : errdetail("The payload, headers and key of message %d of the batch together "
                             "take more than 1 GB as text.",
                             position),
             errhint("Store the content elsewhere and send a reference, or send it in parts.")));
    pg_unreachable();
}

} // namespace

void check_size(const store::RowValues &row, int position) {
    uint64_t stored = 0;
    for (store::RowAttribute attribute : kLong)
        stored += stored_size(row, attribute);
    if (stored <= kSmall)
        return;
    if (stored > kMostBytes || (text_size(row, Precision::kBound) > kMostBytes &&
                                text_size(row, Precision::kClose) > kMostBytes))
        raise_too_large(position);
}

} // namespace baton::queue
