/* Messages between two processes, and once round all. */

#ifndef MESSAGES_H
#define MESSAGES_H

#include "world.h"

enum { MAX_MESSAGE = 4096 };

static char out_message[MAX_MESSAGE], in_message[MAX_MESSAGE];

/* A process that is alone talks to itself. */
static void to_itself(int bytes) {
    MPI_Sendrecv(out_message, bytes, MPI_BYTE, 0, 0, in_message, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void pingpong(size_t size_of_message, int times) {
    int bytes = (int)size_of_message;
    if (size == 1) {
        for (int i = 0; i < 2 * times; i++)
            to_itself(bytes);
    } else if (rank == 0) {
        for (int i = 0; i < times; i++) {
            MPI_Send(out_message, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(in_message, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else if (rank == 1) {
        for (int i = 0; i < times; i++) {
            MPI_Recv(in_message, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out_message, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

static void ring(size_t bytes, int times) {
    (void)bytes;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    if (size == 1) {
        for (int i = 0; i < times; i++)
            to_itself(0);
    } else if (rank == 0) {
        for (int i = 0; i < times; i++) {
            MPI_Send(NULL, 0, MPI_BYTE, right, 0, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        for (int i = 0; i < times; i++) {
            MPI_Recv(NULL, 0, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(NULL, 0, MPI_BYTE, right, 0, MPI_COMM_WORLD);
        }
    }
}

/* Two neighbours wait for each other; without one, there is nothing to do. */
static void pair(size_t bytes, int times) {
    (void)bytes;
    int neighbour = rank ^ 1;
    if (neighbour >= size)
        return;
    for (int i = 0; i < times; i++)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, neighbour, 0, NULL, 0, MPI_BYTE, neighbour, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void check_pingpong(void) {
    for (int i = 0; i < MAX_MESSAGE; i++)
        out_message[i] = (char)(rank + i);
    pingpong(MAX_MESSAGE, 1);
    int from = size == 1 ? 0 : rank ^ 1;
    for (int i = 0; i < MAX_MESSAGE && rank < 2; i++)
        if (in_message[i] != (char)(from + i))
            fail("a message is wrong");
}

#endif
