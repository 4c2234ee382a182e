/* Signals between processes, with and without data; a lock that all want; a window that all open and close. */

#ifndef SIGNALS_H
#define SIGNALS_H

#include "transfers.h"

enum { PINGPONG, RING, NOTIFY, BLOCK = 4096 };

/* The first two processes take turns; one that is alone takes both. */
static void signal_pingpong(size_t bytes, int times) {
    (void)bytes;
    static uint64_t turn;
    if (rank > 1)
        return;
    for (int i = 0; i < times; i++) {
        turn++;
        if (rank == 0)
            set_signal(next_process(), PINGPONG, &turn);
        if (rank == next_process()) {
            await_signal(PINGPONG, turn);
            set_signal(0, PINGPONG + SIGNALS / 2, &turn);
        }
        if (rank == 0)
            await_signal(PINGPONG + SIGNALS / 2, turn);
    }
}

static void signal_ring(size_t bytes, int times) {
    (void)bytes;
    static uint64_t turn;
    int right = (rank + 1) % size;
    for (int i = 0; i < times; i++) {
        turn++;
        if (rank != 0)
            await_signal(RING, turn);
        set_signal(right, RING, &turn);
        if (rank == 0)
            await_signal(RING, turn);
    }
}

static void put_and_signal(int target, size_t bytes, int signal, const uint64_t *turn) {
    MPI_Put(own_words, (int)bytes, MPI_BYTE, target, DATA, (int)bytes, MPI_BYTE, window);
    MPI_Win_flush(target, window);
    set_signal(target, signal, turn);
}

static void notify_pingpong(size_t bytes, int times) {
    static uint64_t turn;
    if (rank > 1)
        return;
    for (int i = 0; i < times; i++) {
        turn++;
        if (rank == 0)
            put_and_signal(next_process(), bytes, NOTIFY, &turn);
        if (rank == next_process()) {
            await_signal(NOTIFY, turn);
            put_and_signal(0, bytes, NOTIFY + SIGNALS / 2, &turn);
        }
        if (rank == 0)
            await_signal(NOTIFY + SIGNALS / 2, turn);
    }
}

static void check_notify_pingpong(void) {
    size_t count = BLOCK / sizeof(uint64_t);
    fill(own_words, count, 5000 + rank, 1);
    fill(words + DATA, count, 0, 0);
    notify_pingpong(BLOCK, 1);
    if (!holds(words + DATA, rank < 2 ? count : 0, 1, 5000 + (size == 1 ? 0 : rank ^ 1), 1))
        fail("what was signalled is not there");
}

/* The signal is a message. */
static void put_and_send(int target, size_t bytes) {
    MPI_Put(own_words, (int)bytes, MPI_BYTE, target, DATA, (int)bytes, MPI_BYTE, window);
    MPI_Win_flush(target, window);
    MPI_Send(NULL, 0, MPI_BYTE, target, 0, MPI_COMM_WORLD);
}

static void await_message(int source) {
    MPI_Recv(NULL, 0, MPI_BYTE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(window);
}

static void put_send_pingpong(size_t bytes, int times) {
    if (rank > 1 || size == 1)
        return;
    for (int i = 0; i < times; i++) {
        if (rank == 0)
            put_and_send(1, bytes);
        await_message(1 - rank);
        if (rank == 1)
            put_and_send(0, bytes);
    }
}

static void check_put_send_pingpong(void) {
    size_t count = BLOCK / sizeof(uint64_t);
    fill(own_words, count, 6000 + rank, 1);
    fill(words + DATA, count, 0, 0);
    put_send_pingpong(BLOCK, 1);
    if (size > 1 && !holds(words + DATA, rank < 2 ? count : 0, 1, 6000 + (rank ^ 1), 1))
        fail("what was told of is not there");
}

/* A window of its own, as one that is locked for all cannot be locked otherwise, nor have fences. */
static MPI_Win counter_window;
static uint64_t *counter;

static void prepare_signals(void) {
    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &counter_window);
    *counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void release_signals(void) {
    MPI_Win_free(&counter_window);
}

static void mutex(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++) {
        uint64_t value;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, counter_window);
        MPI_Get(&value, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, counter_window);
        MPI_Win_flush(0, counter_window);
        value++;
        MPI_Put(&value, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, counter_window);
        MPI_Win_unlock(0, counter_window);
    }
}

/* A lock of two words: the next ticket, and the one that is served. */
enum { TICKET = 18 * WORDS_PER_LINE, SERVED = 19 * WORDS_PER_LINE, COUNTED = 20 * WORDS_PER_LINE };

static uint64_t fetch_and(MPI_Op operation, int place) {
    const uint64_t one = 1;
    uint64_t before;
    MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 0, place, operation, window);
    MPI_Win_flush(0, window);
    return before;
}

static void ticket_lock(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++) {
        uint64_t value, ticket = fetch_and(MPI_SUM, TICKET);
        while (fetch_and(MPI_NO_OP, SERVED) != ticket)
            ;
        MPI_Get(&value, 1, MPI_UINT64_T, 0, COUNTED, 1, MPI_UINT64_T, window);
        MPI_Win_flush(0, window);
        value++;
        MPI_Put(&value, 1, MPI_UINT64_T, 0, COUNTED, 1, MPI_UINT64_T, window);
        MPI_Win_flush(0, window);
        fetch_and(MPI_SUM, SERVED);
    }
}

static void check_ticket_lock(void) {
    ticket_lock(0, 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    if (rank == 0 && words[COUNTED] != 1000u * (unsigned)size)
        fail("a ticket lock does not exclude");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_mutex(void) {
    mutex(0, 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counter_window);
    uint64_t value;
    MPI_Get(&value, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, counter_window);
    MPI_Win_unlock(0, counter_window);
    if (value != 1000u * (unsigned)size)
        fail("a lock does not exclude");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void alloc(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        MPI_Win passing;
        void *memory;
        MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &passing);
        MPI_Win_free(&passing);
    }
}

static void fences(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, counter_window);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, counter_window);
    }
}

#endif
