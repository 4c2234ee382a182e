/* A window on every process that all others may access at any time, and signals through it. */

#ifndef WINDOW_H
#define WINDOW_H

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "../mpi/process.h"

/* Each process has these many words that others signal it with, each in a cache line of its own, at the start of its
   window; data follows. Displacements are in words. */
enum { SIGNALS = 64, WORDS_PER_LINE = 8, DATA = SIGNALS * WORDS_PER_LINE };

static MPI_Win window;
static uint64_t *words;

/* Collective. Opens a window of zeros with so many words of data. */
static inline void open_window(size_t data_words) {
    size_t count = DATA + data_words;
    MPI_Win_allocate((MPI_Aint)(count * sizeof *words), sizeof *words, MPI_INFO_NULL, MPI_COMM_WORLD, &words, &window);
    int *model, has_model;
    MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &has_model);
    if (!has_model || *model != MPI_WIN_UNIFIED)
        fail("the memory model of the window is not MPI_WIN_UNIFIED");
    memset(words, 0, count * sizeof *words);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline void close_window(void) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Sets a signal of a process to a number; `*number` stays as it is. */
static inline void set_signal(int target, int signal, const uint64_t *number) {
    MPI_Put(number, 1, MPI_UINT64_T, target, signal * WORDS_PER_LINE, 1, MPI_UINT64_T, window);
    MPI_Win_flush(target, window);
}

/* Waits until a signal of this process is a number, or larger. */
static inline void await_signal(int signal, uint64_t number) {
    _Atomic uint64_t *word = (_Atomic uint64_t *)&words[signal * WORDS_PER_LINE];
    for (unsigned polls = 1; atomic_load_explicit(word, memory_order_acquire) < number; polls++) {
        MPI_Win_sync(window);
        /* The library may need a call to make progress, or to leave the core to others. */
        if (polls % 64 == 0) {
            int flag;
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
    }
    MPI_Win_sync(window);
}

#endif
