// The second half of the boundary: one attempt. Besides boundary.cpp only attempt.cpp may catch: it
// lets a process that must live on (launcher, worker) outlive an ERROR of the work it tries. FATAL
// passes through.
#pragma once

#include "pg/prelude.h"

namespace baton::pg {

constexpr int kErrorTextSize = 256;

/// An error as far as it is remembered: one line, cut at a character's boundary.
struct ErrorText {
    int sqlstate;
    int encoding; // of the text, a server encoding
    char text[kErrorTextSize];
};

/// Copies SQLSTATE and message. Allocates nothing.
void copy_error(const ErrorData &from, ErrorText &to);

/// Fills in a text of our own (plain ASCII).
void set_error(ErrorText &to, int sqlstate, const char *text);

/// Calls body(argument). True if it returned. An ERROR or a C++ exception is written to the log
/// with its context, copied to `error`, and whatever transaction was open is aborted; then the
/// result is false and the process can go on. To be called outside of transactions, in a memory
/// context that outlives them. The body's frames are jumped over: no destructors that matter in
/// there.
bool run_protected(void (*body)(void *), void *argument, ErrorText &error);

/// Calls body(argument); a C++ exception becomes an ERROR. For hooks that may fail, and for the
/// main functions of workers.
void call_guarded(void (*body)(void *), void *argument);

} // namespace baton::pg
