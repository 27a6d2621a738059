// Receipts as SQL values.
#pragma once

#include "api/arguments.h"
#include "core/receipt.h"
#include "pg/prelude.h"

namespace baton::api {

core::Receipt receipt_from(Datum datum);
Datum datum_from(const core::Receipt &receipt);

/// The first argument as a receipt, after the checks of a call that writes; null is 22004.
core::Receipt receipt_argument(const Call &call);

/// The first argument as receipts, after the same checks; null is none, a null element is 22004.
Elements receipts_argument(const Call &call);

} // namespace baton::api
