/*
 * The ready map when chunks come and go: a chunk is made when somebody needs
 * it, freed when the low mark has passed it, and its memory then serves another
 * chunk while processes still hold pointers to it. Words, hints, earliest and
 * low mark are those of ready_map.pml. A chunk has one block here, so one
 * number names both. Nobody sleeps: the question is whether a later look finds
 * what is there.
 *
 * Steps, fences and time are as in ready_map.pml. The two chunks belong to one
 * segment, but their memory does not know that: they stand for chunks of two
 * segments as well. With one place for two chunks, "no room" happens too.
 *
 * Settings (all -D):
 *   SLOTS=n      places for chunks, 1 or 2 (1)
 *   STORERS=n    1 or 2 (2)
 *   SCANNERS=n   2 or 3 (2)
 *   PASSES=n     passes of a scanner, it may stop before (1)
 *   PASSES_OF_FIRST=n  the same for the first one (PASSES)
 *   DEAD_BITS    a freed chunk leaves a bit "wholly dead" behind, so that it is
 *                not looked at again when the mark goes down below it
 *   LOCKED_STORE SCANNING is stored under the hash's lock, together with the
 *                look-up, instead of checking the chunk's owner afterwards
 *   and the mistakes, listed in README.md.
 */

#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef STORERS
#define STORERS 2
#endif
#ifndef SCANNERS
#define SCANNERS 2
#endif
#ifndef PASSES
#define PASSES 1
#endif
#ifndef PASSES_OF_FIRST
#define PASSES_OF_FIRST PASSES
#endif

#define CHUNKS 2
#define NONE 9

/* What a word, a hint or earliest can say, and a row's life: see ready_map.pml. */
#define NOW 0
#define LATER 1
#define DEAD 2
#ifdef CONSTANT_SCANNING
#define SCANNING(p) 3
#else
#define SCANNING(p) (3 + (p))
#endif
#define LOOK(v) ((v) == NOW || (v) > DEAD)
#define LEAST(m, v) ((LOOK(v)) -> NOW : (((v) < (m)) -> (v) : (m)))

#define ABSENT 0
#define OPEN 1
#define READY 2
#define LEASED 3

byte owner[SLOTS];                   /* chunk that lives here, or NONE */
byte word[SLOTS];
byte hint[SLOTS];
bool hash_lock;                      /* held alone by whoever makes or frees */
bool dead_bit[CHUNKS];
byte earliest;
byte low;
bool small_lock;                     /* guards low and the freeing of chunks */
bool page_lock[CHUNKS];

byte row[STORERS];                   /* each storer has one message ... */
byte at[STORERS];                    /* ... on this block */
bool go;

#if SLOTS == 1
#define PLACE(chunk) ((owner[0] == (chunk)) -> 0 : NONE)
#else
#define PLACE(chunk) ((owner[0] == (chunk)) -> 0 : ((owner[1] == (chunk)) -> 1 : NONE))
#endif
#define MISSING(chunk) (PLACE(chunk) == NONE)

inline look_up(chunk, place)
{
	atomic { !hash_lock -> place = PLACE(chunk) }
}

/* place is NONE afterwards if there is no room. The words are reset before the
 * chunk is entered; processes with stale pointers write at any time. */
inline look_up_or_make(chunk, place)
{
	atomic {
		!hash_lock ->
		place = PLACE(chunk);
		if
		:: place == NONE && owner[0] == NONE -> place = 0; hash_lock = true; makes = true
#if SLOTS > 1
		:: place == NONE && owner[1] == NONE -> place = 1; hash_lock = true; makes = true
#endif
		:: else
		fi
	};
	if
	:: makes ->
		word[place] = NOW;
		hint[place] = NOW;
		atomic {
			owner[place] = chunk;
			dead_bit[chunk] = false;
			hash_lock = false;
			makes = false
		}
	:: else
	fi
}

/* ------------------------------------------------------------- storers */

inline store_word_and_hint()
{
	if
	:: p != NONE ->
		word[p] = NOW;
		atomic { hint[p] = NOW; p = NONE }
	:: else
	fi
}

inline lower_mark()
{
#ifdef DEAD_BIT_BEFORE_LOCK
	atomic { !hash_lock -> if :: MISSING(at[me]) -> dead_bit[at[me]] = false :: else fi };
	atomic { !small_lock -> if :: at[me] < low -> low = at[me] :: else fi }
#else
	/* Chunks are freed under this lock only: one that is missing now stays
	 * missing until somebody makes it anew, with words that say look. */
	atomic {
		!small_lock && !hash_lock ->
		small_lock = true;
		if :: MISSING(at[me]) -> dead_bit[at[me]] = false :: else fi
	};
	atomic {
		if :: at[me] < low -> low = at[me] :: else fi;
		small_lock = false
	}
#endif
}

proctype storer(byte me)
{
	byte p = NONE;
	bool makes;

	if
	:: atomic { go && row[me] == ABSENT -> row[me] = OPEN }
	:: atomic { go && row[me] != ABSENT }
	fi;
	/* A chunk may be made before the transaction ends, not after. */
	if
	:: look_up_or_make(at[me], p)
	:: true
	fi;
#ifdef KEPT_POINTER
	row[me] = READY;
#else
	atomic { row[me] = READY; p = NONE };
	look_up(at[me], p);
#endif
	store_word_and_hint();
#ifdef EARLIEST_BEFORE_LOWER
	earliest = NOW;
	lower_mark()
#else
	lower_mark();
	earliest = NOW
#endif
}

/* ------------------------------------------------------------ scanners */

#if STORERS == 1
#define FIRST_ROW ((at[0] == b) -> 0 : 1)
#define NEXT_ROW 1
#else
#define FIRST_ROW ((at[0] == b) -> 0 : ((at[1] == b) -> 1 : 2))
#define NEXT_ROW ((k == 0 && at[1] == b) -> 1 : 2)
#endif

/* Look at the page of block b, whose chunk was found at p. */
inline look_at_page()
{
	atomic {
#ifdef LOCKED_STORE
		!page_lock[b] && !hash_lock ->
		p = PLACE(b);
#else
		!page_lock[b] ->
#endif
		page_lock[b] = true;
		m = DEAD;
		k = FIRST_ROW;
		if :: p != NONE -> word[p] = s :: else fi
	};
#if !defined(LOCKED_STORE) && NO_OWNER_CHECK != 1
	/* Was it our word? If not, SCANNING stays in it: that reads as look now,
	 * and the swap of whoever else is at work on the word fails. */
	atomic { if :: p != NONE && owner[p] != b -> p = NONE :: else fi };
#endif
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
		if :: p != NONE && word[p] == s -> word[p] = m :: else fi;
		page_lock[b] = false;
		k = 0; m = 0;
		break }
	od
}

inline raise_hint()
{
#ifdef LOCKED_STORE
	atomic { !hash_lock -> p = PLACE(b); if :: p != NONE -> hint[p] = s :: else fi };
#else
	hint[p] = s;
#if NO_OWNER_CHECK != 2
	atomic { if :: owner[p] != b -> p = NONE :: else fi };
#endif
#endif
	if
	:: p != NONE ->
		m = LEAST(DEAD, word[p]);
		atomic { if :: hint[p] == s -> hint[p] = m :: else fi; m = 0 }
	:: else
	fi
}

inline raise_earliest()
{
	atomic { earliest = s; m = DEAD };
	b = low;
	do
	:: b < CHUNKS ->
		look_up(b, p);
		if
		:: atomic { p != NONE -> m = LEAST(m, hint[p]) }
#ifdef MISSING_IS_DEAD
		:: p == NONE
#else
		:: atomic { p == NONE && dead_bit[b] }
		:: atomic { p == NONE && !dead_bit[b] -> m = NOW }
#endif
		fi;
		atomic { b++; p = NONE }
	:: else -> break
	od;
	atomic { if :: earliest == s -> earliest = m :: else fi; m = 0; b = 0; s = 0 }
}

/* Raise the mark over dead words and free the chunks it has passed. */
inline raise_mark()
{
	atomic { !small_lock -> small_lock = true; b = low };
	do
	:: b < CHUNKS ->
		look_up(b, p);
		if
		:: atomic { p != NONE && word[p] == DEAD -> b++; p = NONE }
		:: atomic { p != NONE && word[p] != DEAD -> p = NONE; break }
		:: atomic { p == NONE && dead_bit[b] -> b++ }
		:: atomic { p == NONE && !dead_bit[b] -> break }
		fi
	:: else -> break
	od;
#ifdef FREE_OUTSIDE_LOCK
	atomic { low = b; small_lock = false };
#else
	low = b;
#endif
	do
	:: atomic {
		b > 0 && !hash_lock ->
		b--;
		p = PLACE(b);
		if
		:: p != NONE ->
			owner[p] = NONE;
			p = NONE;
#ifdef DEAD_BITS
			dead_bit[b] = true
#endif
		:: else
		fi }
	:: atomic {
		b == 0 ->
#ifndef FREE_OUTSIDE_LOCK
		small_lock = false;
#endif
		break }
	od
}

proctype scanner(byte me; byte passes)
{
	byte b, k, m, s;
	byte p = NONE;
	bool got, makes;

	(go);
	do
	:: atomic { passes > 0 -> passes--; got = false };
		if
		:: LOOK(earliest) ->
			b = low;
			do
			:: b < CHUNKS ->
#ifdef DEAD_BITS
				look_up(b, p);
				if
				:: atomic { p == NONE && dead_bit[b] -> b++; goto next }
				:: else
				fi;
#endif
				look_up_or_make(b, p);
				if
				:: atomic { p != NONE && !LOOK(hint[p]) }
				:: atomic { p == NONE || LOOK(hint[p]) };
					if
					:: atomic { p != NONE && !LOOK(word[p]) }
					:: atomic { p == NONE || LOOK(word[p]) -> s = SCANNING(me) };
						look_at_page();
						if
						:: atomic { got -> b = 0; s = 0; p = NONE; break }
						:: else
						fi
					fi;
					if
					:: p != NONE -> s = SCANNING(me); raise_hint()
					:: else
					fi
				fi;
				atomic { b++; p = NONE; s = 0 };
#ifdef DEAD_BITS
next:				skip
#endif
			:: else -> atomic { b = 0; break }
			od;
			raise_mark();
			if
			:: got
			:: else -> s = SCANNING(me); raise_earliest()
			fi
		:: else
		fi
	:: atomic { true -> passes = 0; got = false; break }
	od
}

/* ---------------------------------------------------- what must be true */

/* Every step of the way to a claimable message says look; a chunk that is not
 * there says so too. */
#define SAYS_LOOK(b) (MISSING(b) -> !dead_bit[b] : (LOOK(hint[PLACE(b)]) && LOOK(word[PLACE(b)])))
#define FOUND(i) (row[i] != READY || (LOOK(earliest) && low <= at[i] && SAYS_LOOK(at[i])))

init {
	byte i;
	atomic {
		for (i : 0 .. STORERS - 1) {
			if :: row[i] = ABSENT :: row[i] = OPEN fi
		}
#if STORERS == 1
		if :: at[0] = 0 :: at[0] = 1 fi;
#else
		/* The storers are alike, so the other order would say the same. */
		if
		:: row[0] <= row[1]          /* both on block 0 */
		:: at[1] = 1
		fi;
#endif
		for (i : 0 .. SLOTS - 1) {
			owner[i] = NONE
		}
		/* Nothing is known, or everything has been found out. */
		if
		:: true
		:: true ->
			earliest = DEAD;
			low = CHUNKS;
			for (i : 0 .. STORERS - 1) {
				if
				:: row[i] == OPEN && low > at[i] -> low = at[i]
				:: else
				fi
			}
			if
			:: low < CHUNKS ->
				owner[0] = low; word[0] = LATER; hint[0] = LATER;
				/* Chunk 1, if above the mark, is not there. */
				earliest = ((low == 0) -> NOW : LATER)
			:: else
			fi;
#ifdef DEAD_BITS
			dead_bit[0] = (low > 0);
			dead_bit[1] = (low > 1)
#endif
		fi;
		i = 0;
		for (i : 0 .. STORERS - 1) {
			run storer(i)
		}
		run scanner(0, PASSES_OF_FIRST);
		for (i : 1 .. SCANNERS - 1) {
			run scanner(i, PASSES)
		}
		i = 0;
		go = true
	}
	/* Nobody can move any more: all are done. */
	timeout;
	for (i : 0 .. STORERS - 1) {
		assert(FOUND(i))
	}
	assert(!small_lock && !hash_lock && !page_lock[0] && !page_lock[1])
}
