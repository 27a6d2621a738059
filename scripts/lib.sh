# shellcheck shell=bash disable=SC2034
# What the scripts share: where the tree is, which server, who runs it, how a line looks.
set -euo pipefail
umask 022 # the server's user reads what we lay out
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# A make above us says what to do by the environment; its own flags are not for the makes below.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
# Nor do we talk to whatever server the caller usually talks to.
for variable in $(compgen -e | grep '^PG' | grep -vx PG_CONFIG); do
    unset "$variable"
done
cores=${BATON_JOBS:-$(nproc 2>/dev/null || echo 2)} # compilers and test programs at a time

heading() { printf '\n== %s\n' "$*"; }
die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# The pg_config of a server that is complete (programs and build files): $PG_CONFIG, else the newest installed.
find_pg_config() {
    local candidate
    if [[ -n ${PG_CONFIG:-} ]]; then
        command -v "$PG_CONFIG" || return 1
        return
    fi
    while read -r candidate; do
        if complete_server "$candidate"; then
            echo "$candidate"
            return
        fi
    done < <(
        find /usr/lib/postgresql -path '*/bin/pg_config' 2>/dev/null | sort -rV
        command -v pg_config
    )
    return 1
}
# The makefiles come with Debian's client package already, the headers do not.
complete_server() {
    [[ -x $1 && -x $("$1" --bindir)/postgres && -f $("$1" --pgxs) && -f $("$1" --includedir-server)/postgres.h ]]
}
pg_major() { "$1" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/'; }

# The newest of tool, tool-N on this machine; with a version, that one only.
find_tool() {
    local tool=$1 version=${2:-} candidate
    if [[ -n $version ]]; then
        for candidate in "$tool-$version" "$tool"; do
            if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q "version $version\."; then
                command -v "$candidate"
                return
            fi
        done
        return 1
    fi
    command -v "$tool" && return
    candidate=$(compgen -c "$tool-" | grep -E "^${tool//+/\\+}-[0-9]+$" | sort -V | tail -n 1)
    [[ -n $candidate ]] && command -v "$candidate"
}

# A server refuses to run as root: root's clusters belong to postgres, or where there is none to nobody.
server_user() {
    if [[ $EUID -ne 0 ]]; then
        id -un
    elif id -u postgres >/dev/null 2>&1; then
        echo postgres
    else
        echo nobody
    fi
}
as_server_user() {
    if [[ $EUID -eq 0 ]]; then
        runuser -u "$(server_user)" -- "$@"
    else
        "$@"
    fi
}

# Where clusters go: the server's user must get in, and a socket's path may have no more than 107 bytes.
temp_base() {
    local base=${TMPDIR:-/tmp}
    if [[ ${#base} -le 50 ]] && as_server_user test -x "$base" -a -r "$base" 2>/dev/null; then
        echo "${base%/}"
    else
        echo /tmp
    fi
}
