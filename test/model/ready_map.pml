/*
 * The ready map: words, chunk hints, the segment's earliest, the low mark and
 * the wake-up, with chunks that stay where they are. Chunks that are made and
 * freed are in chunk_reuse.pml.
 *
 * Every step is one access to shared memory and memory is sequentially
 * consistent: the code has full fences where this model needs them, and a
 * missing one is not found here. A step joins several accesses only where a
 * lock keeps the others out, so taking a lock goes together with the first
 * access under it and releasing it with the last.
 *
 * Time stands still. LATER is any time that has not come: no lease runs out,
 * no safety net fires, no sleep ends by itself. What a time-out would only
 * delay is lost for good here.
 *
 * Settings (all -D):
 *   WAITERS=n    receivers that want one message and sleep until signalled (2)
 *   PASSERS=n    receivers that make one pass and do not wait (0)
 *   FAILURES=true  a receiver may fail while it holds a page
 *   GROW         the relation has one block at first, inserters extend it
 *   ALL_PLACES   put the two messages on every pair of blocks
 *   MARK_EARLY   storers lower the mark before the hint instead of after it
 *   HINT_FROM_MARK  a hint does not cover words below the mark; right only
 *                with MARK_EARLY
 *   MARK_BY_HINT the mark is raised over hints, not words; right only without
 *                MARK_EARLY
 *   and the mistakes, listed in README.md.
 */

#ifndef WAITERS
#define WAITERS 2
#endif
#ifndef PASSERS
#define PASSERS 0
#endif
#ifndef FAILURES
#define FAILURES false
#endif

#define SCANNERS (WAITERS + PASSERS)
#define STORERS 2
#define BLOCKS 3
#define CHUNKS 2
#define CHUNK(b) ((b) >> 1)          /* blocks 0 and 1, block 2 */

/* What a word, a hint or earliest can say. */
#define NOW 0
#define LATER 1
#define DEAD 2
#ifdef CONSTANT_SCANNING
#define SCANNING(p) 3
#else
/* One number per process is one per scan: a process scans one thing at a time
 * and never returns to a scan it has left. */
#define SCANNING(p) (3 + (p))
#endif
#define LOOK(v) ((v) == NOW || (v) > DEAD)
#define LEAST(m, v) ((LOOK(v)) -> NOW : (((v) < (m)) -> (v) : (m)))

/* A row's life. OPEN is a row that a running transaction inserts or deletes, or
 * a leased one that its holder will give back: nothing to claim, come again. */
#define ABSENT 0
#define OPEN 1
#define READY 2
#define LEASED 3

byte word[BLOCKS];
byte hint[CHUNKS];
byte earliest;
byte low;
byte blocks;                         /* length of the relation */
bool small_lock;                     /* guards low */
bool page_lock[BLOCKS];

byte row[STORERS];                   /* each storer has one message ... */
byte at[STORERS];                    /* ... on this block */

bool listed[SCANNERS + 1];           /* on the condition variable's list */
bool woken[SCANNERS + 1];            /* taken off it by a signal */
bool go;

/* The server signals the first on the list; any listed one may be it here. */
inline signal_one()
{
	atomic {
		if
		:: listed[0] -> listed[0] = false; woken[0] = true
		:: listed[1] -> listed[1] = false; woken[1] = true
		:: else
		fi
	}
}

/* ------------------------------------------------------------- storers */

inline make_visible() { row[me] = READY }
inline store_word() { word[at[me]] = NOW }
inline store_hint() { hint[CHUNK(at[me])] = NOW }
inline store_earliest() { earliest = NOW }

inline lower_mark()
{
#ifdef UNLOCKED_CHECK
	if :: at[me] < low -> skip :: else -> goto lowered fi;
#endif
	atomic { !small_lock -> if :: at[me] < low -> low = at[me] :: else fi };
#ifdef UNLOCKED_CHECK
lowered:
#endif
	skip
}

proctype storer(byte me)
{
	if
	:: atomic { go && row[me] == ABSENT ->
		row[me] = OPEN;
		if :: at[me] >= blocks -> blocks = at[me] + 1 :: else fi }
	:: atomic { go && row[me] != ABSENT }
	fi;

#if defined(STORE_BEFORE_VISIBLE)
	store_word(); store_hint(); lower_mark(); store_earliest(); make_visible(); signal_one()
#elif defined(SIGNAL_BEFORE_STORE)
	make_visible(); signal_one(); store_word(); store_hint(); lower_mark(); store_earliest()
#elif defined(HINT_FIRST)
	make_visible(); store_hint(); store_word(); lower_mark(); store_earliest(); signal_one()
#elif defined(EARLIEST_BEFORE_LOWER)
	make_visible(); store_word(); store_hint(); store_earliest(); lower_mark(); signal_one()
#elif defined(SIGNAL_BEFORE_LOWER)
	/* With a second store, so that nothing but the signal is wrong. */
	make_visible(); store_word(); store_hint(); store_earliest(); signal_one();
	lower_mark(); store_earliest()
#elif defined(MARK_EARLY)
	make_visible(); store_word(); lower_mark(); store_hint(); store_earliest(); signal_one()
#else
	make_visible(); store_word(); store_hint(); lower_mark(); store_earliest(); signal_one()
#endif
}

/* ------------------------------------------------------------ scanners */

#define FIRST_ROW ((at[0] == b) -> 0 : ((at[1] == b) -> 1 : STORERS))
#define NEXT_ROW ((k == 0 && at[1] == b) -> 1 : STORERS)

/* Rows are read one by one: the page's lock keeps other scanners out, but not
 * commits and aborts. */
inline look_at_page()
{
	atomic {
		!page_lock[b] ->
		page_lock[b] = true;
#if NO_SCANNING == 1
		s = word[b];
#else
		word[b] = s;
#endif
		m = DEAD;
		k = FIRST_ROW
	};
	do
	:: atomic {
		k < STORERS ->
		if
		:: row[k] == READY && !got -> row[k] = LEASED; got = true; m = LEAST(m, LATER)
		:: row[k] == READY && got -> m = NOW
		:: row[k] == OPEN || row[k] == LEASED -> m = LEAST(m, LATER)
		:: row[k] == ABSENT
		fi;
		k = NEXT_ROW }
	:: atomic {
		k == STORERS ->
		if
		:: true -> if :: word[b] == s -> word[b] = m :: else fi
		:: FAILURES -> got = true    /* the word keeps SCANNING, the lock goes */
		fi;
		page_lock[b] = false;
		k = 0; m = 0; s = 0; b++;
		break }
	od
}

inline raise_hint()
{
#if NO_SCANNING == 2
	atomic { s = hint[c]; m = DEAD; k = 2 * c };
#else
	atomic { hint[c] = s; m = DEAD; k = 2 * c };
#endif
#ifdef HINT_FROM_MARK
	atomic { if :: low > k -> k = low :: else fi };
#endif
#if defined(GROW) && !defined(STALE_LENGTH)
	n = blocks;
#endif
	do
	:: atomic { k < n && CHUNK(k) == c -> m = LEAST(m, word[k]); k++ }
	:: atomic { k >= n || CHUNK(k) != c ->
		if :: hint[c] == s -> hint[c] = m :: else fi;
		m = 0; k = 0; s = 0; break }
	od
}

/* earliest covers the chunks from the mark to the end of the relation, so both
 * are read after SCANNING is stored, like the hints. */
inline raise_earliest()
{
#if NO_SCANNING == 3
	atomic { s = earliest; m = DEAD };
#else
	atomic { earliest = s; m = DEAD };
#endif
#ifdef STALE_MARK
	atomic { c = start; start = 0 };
#else
	c = CHUNK(low);
#endif
#if defined(GROW) && !defined(STALE_LENGTH)
	n = blocks;
#endif
	do
	:: atomic { 2 * c < n -> m = LEAST(m, hint[c]); c++ }
	:: atomic { 2 * c >= n ->
		if :: earliest == s -> earliest = m :: else fi;
		m = 0; c = 0; n = 0; s = 0; break }
	od
}

#ifdef MARK_BY_HINT
#define PASSABLE(b) (hint[CHUNK(b)] == DEAD)
#else
#define PASSABLE(b) (word[b] == DEAD)
#endif

inline raise_mark()
{
#ifdef NO_RECHECK
	b = low;
#else
	atomic { !small_lock -> small_lock = true; b = low };
#endif
	do
	:: atomic { b < n && PASSABLE(b) -> b++ }
	:: atomic { b >= n || !PASSABLE(b) ->
#ifdef NO_RECHECK
		break }
	od;
	atomic { !small_lock -> if :: b > low -> low = b :: else fi; b = 0 }
#else
		low = b; small_lock = false; b = 0; break }
	od
#endif
}

proctype scanner(byte me; bool waits)
{
	byte b, c, k, m, n, s, start;
	bool got, inside;                /* inside a chunk whose hint says look */

	if
#ifdef SCAN_BEFORE_REGISTER
	:: go
#else
	:: atomic { go && waits -> listed[me] = true }
	:: atomic { go && !waits }
#endif
	fi;

	do
	:: /* one pass */
		if
		:: LOOK(earliest) ->
			atomic {
				b = low;
#ifdef STALE_MARK
				start = CHUNK(b);
#endif
#ifndef GROW
				n = BLOCKS
#endif
			};
#ifdef GROW
			n = blocks;
#endif
			do
			:: atomic { !inside && b < n && LOOK(hint[CHUNK(b)]) ->
				c = CHUNK(b); inside = true }
			:: atomic { !inside && b < n && !LOOK(hint[CHUNK(b)]) ->
				b = 2 * (CHUNK(b) + 1) }
			:: atomic { !inside && b >= n -> b = 0; break }
			:: atomic { inside && b < n && CHUNK(b) == c && LOOK(word[b]) ->
				s = SCANNING(me) };
#ifdef SKIP_BUSY_PAGE
				if
				:: atomic { page_lock[b] -> s = 0; b++; goto skipped }
				:: else
				fi;
#endif
				look_at_page();
				if :: got -> break :: else fi;
#ifdef SKIP_BUSY_PAGE
skipped:			skip
#endif
			:: atomic { inside && b < n && CHUNK(b) == c && !LOOK(word[b]) -> b++ }
			:: atomic { inside && (b >= n || CHUNK(b) != c) ->
				inside = false; s = SCANNING(me) };
				raise_hint()
			od;
			raise_mark();
			if
			:: got
			:: else -> s = SCANNING(me); raise_earliest()
			fi
		:: else
		fi;
		if
		:: atomic { got || !waits ->
			b = 0; c = 0; k = 0; m = 0; n = 0; s = 0; start = 0; inside = false; break }
		:: atomic { !got && waits ->
#ifdef SCAN_BEFORE_REGISTER
			listed[me] = true
#endif
			}
		fi;
end_asleep:
		/* Awake means listed again, before the next look. */
		atomic { woken[me] -> woken[me] = false; listed[me] = true }
	od;

	/* Whoever leaves with a signal in hand passes it on, even with a message:
	 * the signal may have been for another one. */
	atomic {
		if
		:: woken[me] ->
			woken[me] = false;
#ifndef NO_PASS_ON
			signal_one()
#endif
		:: else -> listed[me] = false
		fi
	}
}

/* ---------------------------------------------------- what must be true */

/* Every step of the way to a claimable message says look. */
#define FOUND(i) (row[i] != READY || (LOOK(earliest) && low <= at[i] && \
	at[i] < blocks && LOOK(hint[CHUNK(at[i])]) && LOOK(word[at[i]])))

init {
	byte i;
	atomic {
#ifdef GROW
		blocks = 1;
#else
		blocks = BLOCKS;
		if :: row[0] = ABSENT :: row[0] = OPEN fi;
		if :: row[1] = ABSENT :: row[1] = OPEN fi;
#endif
		/* The storers are alike, so the other order would say the same. */
		if
		:: at[1] = 1
#if !defined(GROW) || defined(ALL_PLACES)
		:: row[0] <= row[1]          /* both on block 0 */
		:: at[1] = 2
#endif
#if defined(GROW) || defined(ALL_PLACES)
		:: at[0] = 1; at[1] = 2
#endif
#ifdef ALL_PLACES
		:: row[0] <= row[1] -> at[0] = 1; at[1] = 1
		:: row[0] <= row[1] -> at[0] = 2; at[1] = 2
#endif
		fi;
		/* Nothing is known, or everything has been found out. */
		if
		:: true
		:: true ->
			earliest = DEAD;
			hint[0] = DEAD;
			hint[1] = DEAD;
			for (i : 0 .. BLOCKS - 1) {
				if :: i < blocks -> word[i] = DEAD :: else fi
			}
			low = blocks;
			for (i : 0 .. STORERS - 1) {
				if
				:: row[i] == OPEN ->
					word[at[i]] = LATER;
					hint[CHUNK(at[i])] = LATER;
					earliest = LATER;
					if :: at[i] < low -> low = at[i] :: else fi
				:: else
				fi
			}
		fi;
		run storer(0);
		run storer(1);
		for (i : 0 .. SCANNERS - 1) {
			run scanner(i, i < WAITERS)
		}
		i = 0;
		go = true
	}
	/* Nobody can move any more: all have left but the sleepers. */
	timeout;
	assert(FOUND(0));
	assert(FOUND(1));
	assert((row[0] != READY && row[1] != READY) || !(listed[0] || listed[1]));
	assert(!small_lock && !page_lock[0] && !page_lock[1] && !page_lock[2])
}
