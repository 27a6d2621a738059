// The errors that users meet: one function each, with its SQLSTATE, message, detail and hint.
// Own codes are of class BT; all others are the standard's.
#pragma once

#include "pg/prelude.h"

namespace baton::pg {

constexpr int kLeaseLost = MAKE_SQLSTATE('B', 'T', '0', '0', '1');
constexpr int kLimitReached = MAKE_SQLSTATE('B', 'T', '0', '0', '2');
constexpr int kNotPreloaded = MAKE_SQLSTATE('B', 'T', '0', '0', '5');

/// Why a receipt no longer holds a lease; the text becomes the error's DETAIL.
enum class LostReason : uint8_t {
    kLeasedAgain,  // the message was handed out again since
    kSettled,      // acked, nacked or released already
    kTakenAway,    // an operator purged, buried or cancelled it, or released its consumer
    kBeingSettled, // another transaction is settling it now
    kDeadLetter,   // the message is in the dead letters
    kUnknown       // nothing of that description: forged, foreign, or its segment was emptied
};

/// The text of a LostReason, as in DETAIL.
const char *describe(LostReason reason);

[[noreturn]] void raise_not_preloaded();
[[noreturn]] void raise_lease_lost(LostReason reason);
/// `hint`: instead of the usual one.
[[noreturn]] void raise_no_such_queue(const char *queue, const char *hint = nullptr);
[[noreturn]] void raise_null_argument(const char *function, const char *argument);
[[noreturn]] void raise_invalid(const char *message, const char *hint);
[[noreturn]] void raise_not_granted(const char *queue, const char *privilege);
[[noreturn]] void raise_receipt_not_granted(); // does not name the queue: it may be a guess
[[noreturn]] void raise_read_only(const char *function);

/// Refuses a call that writes: 25006 on a standby and in read-only transactions.
/// `function` is the SQL name, for the message.
void require_writable(const char *function);

} // namespace baton::pg
