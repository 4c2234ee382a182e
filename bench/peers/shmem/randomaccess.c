/* RandomAccess of the HPC Challenge: 4 updates for each word of a table, at random places.

   usage: randomaccess LOG2SIZE

   Each PE may look 1024 updates ahead. It sorts so many by the PEs that have the words, puts each PE's into that PE's
   memory, and applies what it got itself. For what arrives there are two places, in turns: a PE sends the packets of the next
   round only when it has got all packets of this one, and so nobody still reads those of the round before. Afterwards, and
   not timed, all updates are repeated one by one with atomic operations, which undoes them. */

#include "table.h"

enum { AHEAD = 1024, APART = 16 };

/* A number of updates, and the updates. */
struct packet {
    word count, numbers[AHEAD];
};

/* From each PE, in turns. */
static struct packet *arriving[2];
static uint64_t *arrived;

/* For each PE. */
static struct packet *leaving;

static void apply(const struct packet *packet) {
    for (word i = 0; i < packet->count; i++)
        *place(packet->numbers[i], me) ^= packet->numbers[i];
}

static word one_round(word number, int64_t count, uint64_t round) {
    struct packet *from = arriving[round & 1];
    for (int pe = 0; pe < pes; pe++)
        leaving[pe].count = 0;
    for (int64_t i = 0; i < count; i++) {
        number = next_random(number);
        struct packet *packet = &leaving[owner(number)];
        packet->numbers[packet->count++] = number;
    }
    for (int step = 1; step < pes; step++) {
        int pe = (me + step) % pes;
        size_t bytes = (1 + leaving[pe].count) * sizeof(word);
        put_and_tell(&from[me], &leaving[pe], bytes, &arrived[me * APART], round, pe);
    }
    apply(&leaving[me]);
    for (int step = 1; step < pes; step++) {
        int pe = (me + step) % pes;
        wait_for(&arrived[pe * APART], round);
        apply(&from[pe]);
    }
    return number;
}

int main(int argc, char **argv) {
    int64_t bits = argument(argc, argv, 1, "LOG2SIZE", 1, -1);
    begin(sizeof(word) << bits);
    need(1, "words", (int64_t)1 << bits);
    describe("RandomAccess", "LOG2SIZE", bits);

    new_table((int)bits);
    for (int turn = 0; turn < 2; turn++)
        arriving[turn] = symmetric(pes * sizeof *arriving[turn]);
    arrived = symmetric(pes * APART * sizeof *arrived);
    leaving = private(pes * sizeof *leaving);
    int64_t updates = (int64_t)4 << bits, first = share(updates, me), mine = share(updates, me + 1) - first;
    int64_t rounds = (share(updates, 1) + AHEAD - 1) / AHEAD;

    word number = random_at(first);
    double start = clock_start();
    for (int64_t round = 0; round < rounds; round++) {
        int64_t left = mine - round * AHEAD;
        number = one_round(number, left < AHEAD ? left : AHEAD, round + 1);
    }
    double seconds = clock_end(start);

    shmem_barrier_all();
    number = random_at(first);
    for (int64_t i = 0; i < mine; i++) {
        number = next_random(number);
        update(number);
    }
    shmem_barrier_all();
    conclude("the number of wrong words", table_errors(), 0, 0, updates * 1e-9, "GUPS/s", 1, seconds);
}
