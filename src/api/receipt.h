// Receipts as SQL values.
#pragma once

#include "core/receipt.h"
#include "pg/prelude.h"

namespace baton::api {

core::Receipt receipt_from(Datum datum);
Datum datum_from(const core::Receipt &receipt);

} // namespace baton::api
