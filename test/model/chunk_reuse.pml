/*
 * The ready map when chunks come and go: a chunk is made when somebody needs
 * it, freed when the low mark has passed it, and its memory then serves another
 * chunk while processes still hold pointers to it. Words, hints, earliest and
 * low mark are those of ready_map.pml; a chunk has one block here, so its
 * number is the block's. Waking up is not in this model: the question is
 * whether a later look finds what is there.
 *
 * Steps, fences and time are as in ready_map.pml. There is less memory than
 * chunks may want, so "no room" happens too. The two chunks belong to one
 * segment; the memory does not know that, so they stand as well for chunks of
 * two segments.
 *
 * Settings (all -D):
 *   SLOTS     pieces of chunk memory, 1 or 2
 *   DEAD_BITS a freed chunk leaves a bit "wholly dead" behind, which spares a
 *             second look at it when the mark is lowered further down
 *   and at most one of the mistakes listed in README.md.
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

/* What a word, a hint or earliest can say. */
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

/* A row's life, as in ready_map.pml. */
#define ABSENT 0
#define OPEN 1
#define READY 2
#define LEASED 3

byte owner[SLOTS];                   /* chunk that lives here, or NONE */
byte word[SLOTS];
byte hint[SLOTS];
bool hash_lock;                      /* held alone by whoever makes a chunk */
bool dead_bit[CHUNKS];
byte earliest;
byte low;
bool small_lock;                     /* guards low and the freeing of chunks */
bool page_lock[CHUNKS];

byte row[STORERS];                   /* each storer has one message ... */
byte at[STORERS];                    /* ... on this block */
bool ready_to_go;

#if SLOTS == 1
#define PLACE(chunk) ((owner[0] == (chunk)) -> 0 : NONE)
#else
#define PLACE(chunk) ((owner[0] == (chunk)) -> 0 : ((owner[1] == (chunk)) -> 1 : NONE))
#endif
#define MAPPED(chunk) (PLACE(chunk) != NONE)

inline look_up(chunk, place)
{
	atomic { !hash_lock -> place = PLACE(chunk) }
}

/* place is NONE afterwards if there is no room. The words are reset before the
 * chunk gets its name; stale pointers write at any time. */
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

proctype storer(byte me)
{
	byte p = NONE;
	bool makes;

	/* Before the end of the transaction a chunk may be made, later not. */
	if
	:: atomic { ready_to_go -> if :: row[me] == ABSENT -> row[me] = OPEN :: else fi };
		if
		:: look_up_or_make(at[me], p)
		:: true
		fi
	fi;
#ifdef KEPT_POINTER
	row[me] = READY;
#else
	atomic { row[me] = READY; p = NONE };
	look_up(at[me], p);
#endif
	if
	:: p != NONE ->
		word[p] = NOW;
		atomic { hint[p] = NOW; p = NONE }
	:: else
	fi;
#ifdef EARLIEST_BEFORE_LOWER
	earliest = NOW;
#endif
#ifdef DEAD_BIT_BEFORE_LOCK
	atomic { !hash_lock -> if :: !MAPPED(at[me]) -> dead_bit[at[me]] = false :: else fi };
	atomic { !small_lock -> if :: at[me] < low -> low = at[me] :: else fi };
#else
	/* Chunks are freed under this lock only: one that is missing now stays
	 * missing until somebody makes it anew, with words that say look. */
	atomic { !small_lock && !hash_lock ->
		small_lock = true;
		if :: !MAPPED(at[me]) -> dead_bit[at[me]] = false :: else fi };
	atomic {
		if :: at[me] < low -> low = at[me] :: else fi;
		small_lock = false
	};
#endif
#ifndef EARLIEST_BEFORE_LOWER
	earliest = NOW
#endif
}

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
		!page_lock[b] ->
		page_lock[b] = true;
		m = DEAD;
		k = FIRST_ROW;
		if :: p != NONE -> word[p] = s :: else fi
	};
#if NO_OWNER_CHECK != 1
	/* Is it still our word we have marked? If not, the mark stays there: it
	 * reads as look now, and whoever is at work on that word will fail. */
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
	hint[p] = s;
#if NO_OWNER_CHECK != 2
	if
	:: owner[p] == b ->
#else
	if
	:: true ->
#endif
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
#ifdef DEAD_BITS
		:: atomic { p == NONE && dead_bit[b] }
#endif
#ifdef MISSING_IS_DEAD
		:: p == NONE
#else
		:: atomic { p == NONE && !dead_bit[b] -> m = NOW }
#endif
		fi;
		atomic { b++; p = NONE }
	:: else -> break
	od;
	atomic { if :: earliest == s -> earliest = m :: else fi; m = 0; b = 0; s = 0 }
}

/* Raise the mark over dead words and free the chunks it passed. */
inline raise_mark()
{
	atomic { !small_lock -> small_lock = true; b = low };
	do
	:: b < CHUNKS ->
		look_up(b, p);
		if
		:: atomic { p != NONE && word[p] == DEAD -> b++; p = NONE }
		:: atomic { p == NONE && dead_bit[b] -> b++ }
		:: atomic { ((p == NONE && !dead_bit[b]) || (p != NONE && word[p] != DEAD)) ->
			p = NONE; break }
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
	:: atomic { b == 0 ->
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

	(ready_to_go);
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
next:				skip
			:: else -> atomic { b = 0; break }
			od;
			if
			:: got
			:: else -> s = SCANNING(me); raise_earliest(); raise_mark()
			fi
		:: else
		fi
	:: atomic { true -> passes = 0; got = false; break }
	od
}

/* Where a message is claimable, every step of the way to it says look. */
#define FOUND(i) (row[i] != READY || (LOOK(earliest) && low <= at[i] && \
	(MAPPED(at[i]) -> (LOOK(hint[PLACE(at[i])]) && LOOK(word[PLACE(at[i])])) : !dead_bit[at[i]])))

init {
	byte i;
	atomic {
		if :: row[0] = ABSENT :: row[0] = OPEN fi;
#if STORERS == 1
		if :: at[0] = 0 :: at[0] = 1 fi;
#else
		if :: row[1] = ABSENT :: row[1] = OPEN fi;
		if
		:: row[0] <= row[1] /* both on block 0; the storers are alike */
		:: at[1] = 1
		fi;
#endif
		for (i : 0 .. SLOTS - 1) {
			owner[i] = NONE
		}
		/* Either nothing is known, or all that is true has been found out. */
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
				owner[0] = low; word[0] = LATER; hint[0] = LATER; earliest = LATER;
				if :: low == 0 && (SLOTS == 1) -> earliest = NOW :: else fi
			:: else
			fi;
#ifdef DEAD_BITS
			dead_bit[0] = (low > 0);
			dead_bit[1] = (low > 1)
#endif
		fi;
		i = 0;
		run storer(0);
#if STORERS == 2
		run storer(1);
#endif
		run scanner(0, PASSES_OF_FIRST);
		run scanner(1, PASSES);
#if SCANNERS == 3
		run scanner(2, PASSES);
#endif
		ready_to_go = 1
	}
	timeout;
	assert(FOUND(0));
#if STORERS == 2
	assert(FOUND(1))
#endif
}
