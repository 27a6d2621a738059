// Commands that need a database to themselves: DROP DATABASE, CREATE DATABASE ... TEMPLATE, ALTER
// DATABASE ... RENAME and SET TABLESPACE fail while anybody is connected to it. Its worker is asked
// to leave first and kept away until the end of the transaction; whether the command succeeded does
// not matter. ALTER DATABASE and CREATE DATABASE also make the launcher look at pg_database when
// they commit.
#pragma once

namespace baton::worker {

/// Installs the hook and the transaction callback; called from _PG_init while preloading.
void install_database_commands_hook();

} // namespace baton::worker
