/*
 * The ready map: words, chunk hints, the segment's earliest, the low mark and
 * the wake-up, with chunks that stay where they are. What happens when chunks
 * are freed and their memory is used again is chunk_reuse.pml.
 *
 * Every step is one access to shared memory and all accesses are sequentially
 * consistent: the code has full fences at the places that need them, and this
 * model says nothing about a build in which one is missing. A step joins
 * several accesses only where a lock makes the others private: taking a lock
 * goes with the first access under it, releasing it with the last.
 *
 * Time stands still. LATER is any time that has not come, so no lease runs
 * out, no safety net fires and no sleep ends by itself: what would be late by
 * a time-out in the code is lost for good here.
 *
 * Settings (all -D):
 *   WAITERS   receivers that sleep until signalled, each takes one message
 *   PASSERS   receivers that make one pass and may fail half-way through it
 *   GROW      the relation starts with one block and inserters extend it
 *   MARK_EARLY  the mark is lowered before the hint, and whoever raises a hint
 *               does not look at words below the mark
 *   and at most one of the mistakes listed in README.md.
 */

#ifndef WAITERS
#define WAITERS 2
#endif
#ifndef PASSERS
#define PASSERS 0
#endif

#define SCANNERS (WAITERS + PASSERS)
#define STORERS 2
#define BLOCKS 3
#define CHUNKS 2
#define CHUNK(b) ((b) >> 1)          /* chunk 0: blocks 0 and 1, chunk 1: block 2 */

/* What a word, a hint or earliest can say. */
#define NOW 0
#define LATER 1
#define DEAD 2
#ifdef CONSTANT_SCANNING
#define SCANNING(p) 3
#else
/* One number for each process is one for each scan: a process does one at a
 * time and never returns to an older one. */
#define SCANNING(p) (3 + (p))
#endif
#define LOOK(v) ((v) == NOW || (v) > DEAD)
#define LEAST(m, v) ((LOOK(v)) -> NOW : (((v) < (m)) -> (v) : (m)))

/* A row's life. OPEN stands for a row inserted or deleted by a transaction
 * that still runs, and for a leased one that is about to be given back: a
 * scanner finds nothing to claim and a time to come again. */
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

bool listed[WAITERS + 1];            /* on the condition variable's list */
bool woken[WAITERS + 1];             /* taken off the list by a signal */
byte ready_to_go;

/* Any listed waiter may get the signal: the server takes the first, so this
 * allows more than it does. */
inline signal_one()
{
	atomic {
		if
		:: WAITERS > 0 && listed[0] -> listed[0] = false; woken[0] = true
		:: WAITERS > 1 && listed[1] -> listed[1] = false; woken[1] = true
		:: else
		fi
	}
}

inline lower_mark(block)
{
#ifdef UNLOCKED_CHECK
	if
	:: block < low -> atomic { !small_lock -> if :: block < low -> low = block :: else fi }
	:: else
	fi
#else
	atomic { !small_lock -> if :: block < low -> low = block :: else fi }
#endif
}

proctype storer(byte me)
{
	(ready_to_go);
	if
	:: row[me] == ABSENT ->
		d_step {
			row[me] = OPEN;
			if :: at[me] >= blocks -> blocks = at[me] + 1 :: else fi
		}
	:: else
	fi;
#ifndef STORE_BEFORE_VISIBLE
	row[me] = READY;
#endif
#ifdef SIGNAL_BEFORE_STORE
	signal_one();
#endif
#ifdef HINT_FIRST
	hint[CHUNK(at[me])] = NOW;
#endif
	word[at[me]] = NOW;
#ifdef MARK_EARLY
	lower_mark(at[me]);
#endif
#ifndef HINT_FIRST
	hint[CHUNK(at[me])] = NOW;
#endif
#ifdef SIGNAL_BEFORE_LOWER
	earliest = NOW;
	signal_one();
#endif
#ifdef EARLIEST_BEFORE_LOWER
	earliest = NOW;
#endif
#ifndef MARK_EARLY
	lower_mark(at[me]);
#endif
#ifndef EARLIEST_BEFORE_LOWER
	earliest = NOW;
#endif
#ifdef STORE_BEFORE_VISIBLE
	row[me] = READY;
#endif
#if !defined(SIGNAL_BEFORE_STORE) && !defined(SIGNAL_BEFORE_LOWER)
	signal_one();
#endif
}

/* Rows are read one by one. The page's lock keeps other scanners out, not
 * commits and aborts. */
#define FIRST_ROW ((at[0] == b) -> 0 : ((at[1] == b) -> 1 : STORERS))
#define NEXT_ROW ((k == 0 && at[1] == b) -> 1 : STORERS)

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
		:: MAY_FAIL -> got = true /* an error: the word keeps SCANNING, the lock goes */
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
		m = 0; c = 0; s = 0; break }
	od
}

inline raise_mark()
{
#ifdef NO_RECHECK
	b = low;
#else
	atomic { !small_lock -> small_lock = true; b = low };
#endif
	do
	:: atomic { b < n && word[b] == DEAD -> b++ }
	:: atomic { b >= n || word[b] != DEAD ->
#ifdef NO_RECHECK
		break }
	od;
	atomic { !small_lock -> if :: b > low -> low = b :: else fi; b = 0; n = 0 }
#else
		low = b; small_lock = false; b = 0; n = 0; break }
	od
#endif
}

proctype scanner(byte me; bool waits)
{
	byte b, c, k, m, n, s, start;
	bool got, inside;

	if
	:: atomic { ready_to_go && waits
#ifndef SCAN_BEFORE_REGISTER
		-> listed[me] = true
#endif
		}
	:: atomic { ready_to_go && !waits }
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
			:: atomic { !inside && b >= n -> b = 0; s = SCANNING(me); break }
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
skipped:			skip
			:: atomic { inside && b < n && CHUNK(b) == c && !LOOK(word[b]) -> b++ }
			:: atomic { inside && (b >= n || CHUNK(b) != c) ->
				inside = false; s = SCANNING(me) };
				raise_hint()
			od;
			if
			:: got
			:: else -> raise_earliest(); raise_mark()
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
		/* Awake again means listed again, before the next look. */
		atomic { woken[me] -> woken[me] = false; listed[me] = true }
	od;

	/* Whoever leaves with a signal in hand passes it on, even if it got a
	 * message: the signal may have been for another one. */
	if
	:: waits ->
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
	:: else
	fi
}

/* Where a message is claimable, every step of the way to it says look. */
#define FOUND(i) (row[i] != READY || (LOOK(earliest) && low <= at[i] && \
	at[i] < blocks && LOOK(hint[CHUNK(at[i])]) && LOOK(word[at[i]])))

init {
	byte i;
	atomic {
		/* On one block, on two of a chunk, on two chunks. The storers are alike,
		 * so the other order would say the same again. */
#ifdef GROW
		blocks = 1;
#else
		blocks = BLOCKS;
		if :: row[0] = ABSENT :: row[0] = OPEN fi;
		if :: row[1] = ABSENT :: row[1] = OPEN fi;
#endif
		if
		:: row[0] <= row[1] -> at[1] = at[0]
		:: at[1] = 1
		:: at[1] = 2
		:: at[0] = 1; at[1] = 2
		fi;
		/* Either nothing is known, or all that is true has been found out. */
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
		ready_to_go = 1
	}
	timeout;
	assert(FOUND(0));
	assert(FOUND(1));
	assert((row[0] != READY && row[1] != READY) || !(listed[0] || listed[1]))
}
