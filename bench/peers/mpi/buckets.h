/* Updates of a table with two sides: numbers are collected for those who own the words that they update, and sent when
   there are many. */

#ifndef BUCKETS_H
#define BUCKETS_H

#include "table.h"

/* RandomAccess allows a process to look ahead by 1024 numbers; a bucket is small enough to be sent at once. */
enum { LOOK_AHEAD = 1024, MAX_BUCKET = 256 };

struct bucket {
    /* One is filled while the other one is sent. */
    uint64_t numbers[2][MAX_BUCKET];
    int filling, count;
    MPI_Request sending;
};

static struct bucket *buckets;
static int capacity;
static uint64_t arrived[MAX_BUCKET];
static MPI_Request receiving;
/* How many others have sent all of this pass. */
static int finished;

static void prepare_buckets(void) {
    capacity = LOOK_AHEAD / 2 / size < MAX_BUCKET ? LOOK_AHEAD / 2 / size : MAX_BUCKET;
    if (capacity == 0)
        fail("there are too many processes to look ahead");
    buckets = allocate((size_t)size * sizeof *buckets);
    for (int i = 0; i < size; i++) {
        buckets[i].filling = buckets[i].count = 0;
        buckets[i].sending = MPI_REQUEST_NULL;
    }
}

static inline void update(uint64_t number) {
    table[index_of(number) - (uint64_t)first_own] ^= number;
}

static void receive(void) {
    MPI_Irecv(arrived, MAX_BUCKET, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &receiving);
}

/* Does the updates that have come, if any. */
static void serve(void) {
    while (finished < size - 1) {
        int is_here, count;
        MPI_Status status;
        MPI_Test(&receiving, &is_here, &status);
        if (!is_here)
            return;
        MPI_Get_count(&status, MPI_UINT64_T, &count);
        for (int i = 0; i < count; i++)
            update(arrived[i]);
        if (count == 0)
            finished++;
        if (finished < size - 1)
            receive();
    }
}

/* Sends what there is for a process; nothing means that there will be no more. */
static void send_bucket(int owner) {
    struct bucket *bucket = &buckets[owner];
    int is_sent;
    /* Others may be unable to take more before we have taken theirs. */
    while (MPI_Test(&bucket->sending, &is_sent, MPI_STATUS_IGNORE), !is_sent)
        serve();
    MPI_Isend(bucket->numbers[bucket->filling], bucket->count, MPI_UINT64_T, owner, 0, MPI_COMM_WORLD,
              &bucket->sending);
    bucket->filling ^= 1;
    bucket->count = 0;
    serve();
}

static inline void collect(uint64_t number) {
    int owner = owner_of(index_of(number));
    if (owner == rank) {
        update(number);
        return;
    }
    struct bucket *bucket = &buckets[owner];
    bucket->numbers[bucket->filling][bucket->count++] = number;
    if (bucket->count == capacity)
        send_bucket(owner);
}

static void begin_pass(void) {
    finished = 0;
    if (size > 1)
        receive();
}

static void end_pass(void) {
    for (int other = 0; other < size; other++)
        if (other != rank && buckets[other].count > 0)
            send_bucket(other);
    for (int other = 0; other < size; other++)
        if (other != rank)
            send_bucket(other);
    while (finished < size - 1)
        serve();
    for (int other = 0; other < size; other++)
        MPI_Wait(&buckets[other].sending, MPI_STATUS_IGNORE);
    /* Nobody counts the end of the next pass for that of this one. */
    MPI_Barrier(MPI_COMM_WORLD);
}

#endif
