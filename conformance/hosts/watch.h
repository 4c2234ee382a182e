/* Ends the job if a process comes no further for COARRAY_PEER_TIMEOUT seconds, as coarray does. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic long steps;
static int watch_process;
static const char *watch_node;
static void (*watch_abort)(void);

static void came_further(void) { atomic_fetch_add(&steps, 1); }

/* An abort asks the launcher, and the launcher may be what is out of reach. */
static void *give_up_asking(void *unused) {
    (void)unused;
    sleep(2);
    _exit(4);
}

static void *look(void *limit) {
    long seen = -1;
    for (;;) {
        long now = atomic_load(&steps);
        if (now == seen) break;
        seen = now;
        sleep((unsigned)(size_t)limit);
    }
    fprintf(stderr, "ping: process %d on %s has heard nothing for %zu s\n", watch_process, watch_node, (size_t)limit);
    pthread_t last;
    pthread_create(&last, NULL, give_up_asking, NULL);
    watch_abort();
    return NULL;
}

static void *leave(void *seconds) {
    sleep((unsigned)(size_t)seconds);
    _exit(0);
}

/* Ends this process with success if what follows takes longer. */
__attribute__((unused)) static void leave_after(unsigned seconds) {
    pthread_t thread;
    pthread_create(&thread, NULL, leave, (void *)(size_t)seconds);
}

static void watch(int process, const char *node, void (*abort_job)(void)) {
    const char *limit = getenv("COARRAY_PEER_TIMEOUT");
    if (limit == NULL || atoi(limit) <= 0) return;
    watch_process = process;
    watch_node = node;
    watch_abort = abort_job;
    pthread_t thread;
    pthread_create(&thread, NULL, look, (void *)(size_t)atoi(limit));
}
