#!/usr/bin/env bash
# Checks the models of the ready map: the protocol as it is must be free of
# errors in every interleaving, and each seeded mistake must be found.
#
#   run.sh           about a minute and under 1 GB
#   run.sh --large   wider settings of the clean models too: some minutes, 2 GB
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
depth=10000
memory_mb=2000
large=no
case "${1-}" in
'') ;;
--large)
	large=yes
	memory_mb=4000
	;;
*)
	echo "usage: ${BASH_SOURCE[0]##*/} [--large]" >&2
	exit 2
	;;
esac
for tool in spin cc; do
	if ! command -v "$tool" >/dev/null; then
		echo "$tool is needed and was not found" >&2
		exit 2
	fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# search OPTIMISATION MODEL SETTING...: leaves what the search said in $work/out.
search() {
	local optimisation=$1 model=$2
	shift 2
	(
		cd "$work"
		rm -f pan* ./*.trail out
		# A model that does not build is a failed run, not a found mistake.
		if ! { spin -a "$@" "$here/$model.pml" &&
			cc -w "$optimisation" -DSAFETY "-DMEMLIM=$memory_mb" -o pan pan.c; } >build 2>&1; then
			cat build >&2
			echo "did not build" >out
			exit 0
		fi
		./pan "-m$depth" -w22 -n >out 2>&1 || true
	)
}

report() {
	local verdict=$1 name=$2 states
	states=$(awk '/states, stored/ { print $1; exit }' "$work/out")
	printf '%s  %-62s %10s states\n' "$verdict" "$name" "${states:-no}"
	if [ "$verdict" = PASS ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		sed 's/^/      | /' "$work/out" >&2
	fi
}

# clean MODEL "what is varied" SETTING...
clean() {
	local model=$1 name=$2
	shift 2
	search -O1 "$model" "$@"
	# A search that was cut short by depth or memory says "errors: 0" as well.
	if grep -q 'errors: 0$' "$work/out" &&
		! grep -Eq 'max search depth too small|Search not completed|out of memory|MEMLIM' "$work/out"; then
		report PASS "$model: $name"
	else
		report FAIL "$model: $name"
	fi
}

# mistake MODEL NAME SETTING...
mistake() {
	local model=$1 name=$2
	shift 2
	search -O0 "$model" "-D$name" "$@"
	# Only a broken promise counts, not an error in the model itself.
	if grep -Eq 'errors: [1-9]' "$work/out" &&
		grep -Eq 'assertion violated \(|invalid end state' "$work/out"; then
		report PASS "$model: $name is found"
	else
		report FAIL "$model: $name is not found"
	fi
}

one_storer=(-DSTORERS=1 -DPASSES=2)
three_passes=("${one_storer[@]}" -DPASSES_OF_FIRST=1)
passer=(-DWAITERS=1 -DPASSERS=1 -DFAILURES=true)

clean ready_map "two waiters"
clean ready_map "a waiter, a passer, failures, growth" "${passer[@]}" -DGROW
clean ready_map "mark before hint, hint from the mark" -DMARK_EARLY -DHINT_FROM_MARK
clean chunk_reuse "two storers, one place"
clean chunk_reuse "one storer, four passes, one place" "${one_storer[@]}"
clean chunk_reuse "one storer, three passes, two places" "${three_passes[@]}" -DSLOTS=2
clean chunk_reuse "dead bits" "${three_passes[@]}" -DDEAD_BITS
clean chunk_reuse "SCANNING stored under the hash's lock" "${three_passes[@]}" -DLOCKED_STORE

if [ "$large" = yes ]; then
	clean ready_map "two waiters, all places, failures" -DALL_PLACES -DFAILURES=true
	clean ready_map "two waiters, all places, growth" -DALL_PLACES -DGROW
	clean ready_map "two waiters, all places, mark before hint" -DALL_PLACES -DMARK_EARLY -DHINT_FROM_MARK
	clean ready_map "two waiters, all places, mark over hints" -DALL_PLACES -DMARK_BY_HINT
	clean ready_map "a waiter, a passer, all places, failures" "${passer[@]}" -DALL_PLACES
	clean ready_map "two passers, all places" -DWAITERS=0 -DPASSERS=2 -DALL_PLACES
	clean chunk_reuse "one storer, four passes, two places" "${one_storer[@]}" -DSLOTS=2
	clean chunk_reuse "one storer, four passes, dead bits" "${one_storer[@]}" -DDEAD_BITS
	clean chunk_reuse "one storer, four passes, hash's lock" "${one_storer[@]}" -DLOCKED_STORE
	clean chunk_reuse "two storers, dead bits" -DDEAD_BITS
	clean chunk_reuse "two storers, hash's lock, dead bits" -DLOCKED_STORE -DDEAD_BITS
	clean chunk_reuse "two storers, two places" -DSLOTS=2
	clean chunk_reuse "two storers, one of the scanners twice" -DPASSES_OF_FIRST=2
	clean chunk_reuse "three scanners" -DSTORERS=1 -DSCANNERS=3
fi

mistake ready_map NO_RECHECK
mistake ready_map NO_SCANNING=1
mistake ready_map NO_SCANNING=2
mistake ready_map NO_SCANNING=3
mistake ready_map CONSTANT_SCANNING
mistake ready_map STORE_BEFORE_VISIBLE
mistake ready_map HINT_FIRST
mistake ready_map EARLIEST_BEFORE_LOWER
mistake ready_map UNLOCKED_CHECK
mistake ready_map STALE_MARK
mistake ready_map STALE_LENGTH -DGROW
mistake ready_map HINT_FROM_MARK
mistake ready_map MARK_BY_HINT -DMARK_EARLY
mistake ready_map SIGNAL_BEFORE_LOWER
mistake ready_map SIGNAL_BEFORE_STORE
mistake ready_map SCAN_BEFORE_REGISTER
mistake ready_map NO_PASS_ON
mistake ready_map SKIP_BUSY_PAGE
mistake chunk_reuse CONSTANT_SCANNING "${one_storer[@]}"
mistake chunk_reuse NO_OWNER_CHECK=1 "${one_storer[@]}"
mistake chunk_reuse KEPT_POINTER "${one_storer[@]}"
mistake chunk_reuse MISSING_IS_DEAD "${one_storer[@]}"
mistake chunk_reuse FREE_OUTSIDE_LOCK -DSTORERS=1 -DSCANNERS=3
mistake chunk_reuse DEAD_BIT_BEFORE_LOCK "${one_storer[@]}" -DDEAD_BITS

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
