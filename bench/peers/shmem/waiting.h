/* Waiting for each other: flags, data with a flag, locks, pairs, allocation. */

#ifndef WAITING_H
#define WAITING_H

#include "world.h"

/* Flags are so many words apart: two cache lines, because processors fetch them in pairs. */
enum { APART = 16, MAX_NOTIFIED = 4096, ALLOCATED = 4096 };

static uint64_t *ping, *pong, *token, *met;
/* Words of atomic operations. */
static word *told, *next_ticket, *served;
static char *pinged, *ponged;
static long *lock;
static word *counter;

static void prepare_waiting(void) {
    uint64_t *flags = symmetric(9 * APART * sizeof *flags);
    ping = flags;
    pong = flags + APART;
    token = flags + 2 * APART;
    met = flags + 3 * APART;
    lock = (long *)(flags + 4 * APART);
    counter = (word *)(flags + 5 * APART);
    told = (word *)(flags + 6 * APART);
    next_ticket = (word *)(flags + 7 * APART);
    served = (word *)(flags + 8 * APART);
    pinged = symmetric(MAX_NOTIFIED);
    ponged = symmetric(MAX_NOTIFIED);
}

static void release_waiting(void) {
    shmem_free(ponged);
    shmem_free(pinged);
    shmem_free(ping);
}

static void sync_all(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++)
        shmem_barrier_all();
}

/* Numbers of rounds go on from batch to batch, so that flags are never reset. */
static uint64_t round_trips;

static void event_pingpong(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++) {
        uint64_t number = ++round_trips;
        if (me == 0)
            shmem_uint64_p(ping, number, other);
        if (me == other) {
            wait_for(ping, number);
            shmem_uint64_p(pong, number, 0);
        }
        if (me == 0)
            wait_for(pong, number);
    }
}

static void notify_pingpong(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        uint64_t number = ++round_trips;
        if (me == 0)
            put_and_tell(pinged, buffer, bytes, ping, number, other);
        if (me == other) {
            wait_for(ping, number);
            put_and_tell(ponged, buffer, bytes, pong, number, 0);
        }
        if (me == 0)
            wait_for(pong, number);
    }
}

/* How often this PE has been told, as far as it has noticed. */
static word heard;

static void await_next(void) {
    shmem_ulong_wait_until(told, SHMEM_CMP_GE, ++heard);
}

static void inc_pingpong(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++) {
        if (me == 0)
            shmem_ulong_atomic_inc(told, other);
        if (me == other) {
            await_next();
            shmem_ulong_atomic_inc(told, 0);
        }
        if (me == 0)
            await_next();
    }
}

static void put_and_inc(void *target, size_t bytes, int pe) {
    shmem_putmem(target, buffer, bytes, pe);
    shmem_fence();
    shmem_ulong_atomic_inc(told, pe);
}

static void put_inc_pingpong(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        if (me == 0)
            put_and_inc(pinged, bytes, other);
        if (me == other) {
            await_next();
            put_and_inc(ponged, bytes, 0);
        }
        if (me == 0)
            await_next();
    }
}

static uint64_t rounds;

static void event_ring(size_t bytes, int times) {
    (void)bytes;
    int right = me + 1 < pes ? me + 1 : 0;
    for (int i = 0; i < times; i++) {
        rounds++;
        if (me != 0)
            wait_for(token, rounds);
        shmem_uint64_p(token, rounds, right);
        if (me == 0)
            wait_for(token, rounds);
    }
}

static void mutex(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++) {
        shmem_set_lock(lock);
        shmem_ulong_p(counter, shmem_ulong_g(counter, 0) + 1, 0);
        /* Completes the put, too. */
        shmem_clear_lock(lock);
    }
}

/* A lock of two words: the next ticket, and the one that is served. */
static void ticket_lock(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++) {
        word ticket = shmem_ulong_atomic_fetch_inc(next_ticket, 0);
        while (shmem_ulong_atomic_fetch(served, 0) != ticket)
            ;
        shmem_ulong_p(counter, shmem_ulong_g(counter, 0) + 1, 0);
        shmem_quiet();
        shmem_ulong_atomic_inc(served, 0);
    }
}

/* PEs 2k and 2k+1 meet, and what either has put before is complete. */
static void sync_pair(size_t bytes, int times) {
    (void)bytes;
    static uint64_t meetings;
    int partner = me ^ 1;
    if (partner >= pes)
        return;
    for (int i = 0; i < times; i++) {
        meetings++;
        shmem_quiet();
        shmem_uint64_p(met, meetings, partner);
        wait_for(met, meetings);
    }
}

static void alloc(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        void *memory = shmem_malloc(bytes);
        if (!memory)
            fail("an allocation failed");
        shmem_free(memory);
    }
}

/* After each round all flags must have got as far as the rounds, and no further. */
static void check_pingpong(void) {
    for (int i = 0; i < 10; i++) {
        event_pingpong(0, 1);
        shmem_barrier_all();
        if ((me == other && *ping != round_trips) || (me == 0 && *pong != round_trips))
            fail("a flag is wrong");
        shmem_barrier_all();
    }
}

static void check_ring(void) {
    for (int i = 0; i < 10; i++) {
        event_ring(0, 1);
        shmem_barrier_all();
        if (*token != rounds)
            fail("the token was lost or ran ahead");
        shmem_barrier_all();
    }
}

static void check_told_of(void (*notify)(size_t, int)) {
    memset(buffer, me + 1, MAX_NOTIFIED);
    memset(pinged, 0, MAX_NOTIFIED);
    memset(ponged, 0, MAX_NOTIFIED);
    shmem_barrier_all();
    notify(MAX_NOTIFIED, 1);
    /* Without a barrier: what was told of must be there. */
    for (int i = 0; i < MAX_NOTIFIED; i++)
        if ((me == 0 && ponged[i] != other + 1) || (me == other && pinged[i] != 1))
            fail("data came after their flag");
    shmem_barrier_all();
}

static void check_notify(void) {
    check_told_of(notify_pingpong);
}

static void check_put_inc(void) {
    check_told_of(put_inc_pingpong);
}

static void check_lock(void (*count)(size_t, int)) {
    /* So many that without a lock some would meet. */
    enum { TIMES = 3000 };
    *counter = 0;
    shmem_barrier_all();
    count(0, TIMES);
    shmem_barrier_all();
    if (me == 0 && *counter != (word)TIMES * pes)
        fail("a lock let two in");
    shmem_barrier_all();
}

static void check_mutex(void) {
    check_lock(mutex);
}

static void check_ticket_lock(void) {
    check_lock(ticket_lock);
}

/* Each hears of the other as often as it was told; one that is alone, twice. */
static void check_inc(void) {
    inc_pingpong(0, 10);
    shmem_barrier_all();
    if (*told != heard || (me == 0 && heard != (me == other ? 20 : 10)))
        fail("an increment was lost");
    shmem_barrier_all();
}

/* What the partner put before a meeting is there after it. */
static void check_pair(void) {
    int partner = me ^ 1;
    if (partner < pes)
        for (word i = 1; i <= 100; i++) {
            shmem_ulong_p(&words[i], i + me, partner);
            sync_pair(0, 1);
            if (words[i] != i + partner)
                fail("a put came after its meeting");
        }
    shmem_barrier_all();
}

static void check_alloc(void) {
    char *memory = symmetric(ALLOCATED);
    char value = 5;
    shmem_putmem(memory + ALLOCATED - 1, &value, 1, (me + 1) % pes);
    shmem_barrier_all();
    if (memory[ALLOCATED - 1] != value)
        fail("an allocation is wrong");
    shmem_free(memory);
}

#endif
