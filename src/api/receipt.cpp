// The SQL type baton.receipt: text and binary input and output.

#include "api/receipt.h"

#include "pg/boundary.h"
#include "queue/extension.h"

namespace baton::api {
namespace {

Datum bytes_datum(const uint8_t *bytes) {
    auto *copy = static_cast<uint8_t *>(palloc(core::kReceiptBytes));
    memcpy(copy, bytes, core::kReceiptBytes);
    return PointerGetDatum(copy);
}

Datum receipt_in(FunctionCallInfo fcinfo) {
    const char *text = PG_GETARG_CSTRING(0);
    uint8_t bytes[core::kReceiptBytes];
    core::Receipt receipt;
    if (core::parse_receipt_text(text, bytes) != core::ReceiptError::kOk ||
        core::decode_receipt(bytes, receipt) != core::ReceiptError::kOk)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                        errmsg("invalid input syntax for type %s: \"%s\"", "baton.receipt", text),
                        errhint("A receipt is what baton.receive returned, unchanged.")));
    return bytes_datum(bytes);
}

Datum receipt_out(FunctionCallInfo fcinfo) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(PG_GETARG_POINTER(0));
    auto *text = static_cast<char *>(palloc(core::kReceiptTextLength + 1));
    core::format_receipt(std::span<const uint8_t, core::kReceiptBytes>(bytes, core::kReceiptBytes),
                         std::span<char, core::kReceiptTextLength>(text, core::kReceiptTextLength));
    text[core::kReceiptTextLength] = '\0';
    PG_RETURN_CSTRING(text);
}

Datum receipt_recv(FunctionCallInfo fcinfo) {
    auto *message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    uint8_t bytes[core::kReceiptBytes];
    pq_copymsgbytes(message, reinterpret_cast<char *>(bytes), core::kReceiptBytes);
    core::Receipt receipt;
    if (core::decode_receipt(bytes, receipt) != core::ReceiptError::kOk)
        ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                        errmsg("invalid binary form of a baton.receipt")));
    return bytes_datum(bytes);
}

Datum receipt_send(FunctionCallInfo fcinfo) {
    StringInfoData buffer;
    pq_begintypsend(&buffer);
    pq_sendbytes(&buffer, reinterpret_cast<char *>(PG_GETARG_POINTER(0)), core::kReceiptBytes);
    PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

} // namespace

core::Receipt receipt_from(Datum datum) {
    core::Receipt receipt = {};
    const auto *bytes = reinterpret_cast<const uint8_t *>(DatumGetPointer(datum));
    if (core::decode_receipt({bytes, core::kReceiptBytes}, receipt) != core::ReceiptError::kOk)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a stored receipt is damaged")));
    return receipt;
}

core::Receipt receipt_argument(const Call &call) {
    (void)queue::extension();
    pg::require_writable(call.function);
    return receipt_from(required(call, 0, "receipt"));
}

Elements receipts_argument(const Call &call) {
    (void)queue::extension();
    pg::require_writable(call.function);
    Elements receipts = {};
    if (!call.is_null(0))
        receipts = elements_of(call.value(0), "receipts");
    refuse_null_elements(receipts, call.function, "receipts");
    return receipts;
}

Datum datum_from(const core::Receipt &receipt) {
    auto *bytes = static_cast<uint8_t *>(palloc(core::kReceiptBytes));
    core::encode_receipt(receipt,
                         std::span<uint8_t, core::kReceiptBytes>(bytes, core::kReceiptBytes));
    return PointerGetDatum(bytes);
}

} // namespace baton::api

BATON_FUNCTION(baton_receipt_in, baton::api::receipt_in);
BATON_FUNCTION(baton_receipt_out, baton::api::receipt_out);
BATON_FUNCTION(baton_receipt_recv, baton::api::receipt_recv);
BATON_FUNCTION(baton_receipt_send, baton::api::receipt_send);
