/* What is checked, and what stands in for memory, clocks and comparisons of the library: they are counted, and can fail. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

/* Memory is counted, and can be refused. */
static long allocations, refuse_after = -1;

static bool is_refused(void);
static void *counted_malloc(size_t size);
static void *counted_calloc(size_t count, size_t size);
static void *counted_realloc(void *old, size_t size);
static char *counted_strdup(const char *text);
/*
 * At most 50 ms pass between two looks at a clock: where the host was busy with other things, no broker was silent. A test may
 * have a fixed time pass instead.
 */
static long long look_ns;
/* What takes the processor away right after the next look at the wall clock. */
static long long interruption_ns;
static int patient_clock(clockid_t clock, struct timespec *now);
/* A timer of that clock. */
static int patient_timer(int timer, int flags, const struct itimerspec *when, struct itimerspec *former);

/* How many texts were compared. */
static long comparisons;
static int counted_strcmp(const char *one, const char *other);

#define clock_gettime(clock, now) patient_clock(clock, now)
#define timerfd_settime(timer, flags, when, former) patient_timer(timer, flags, when, former)
#undef strcmp
#define strcmp(one, other) counted_strcmp(one, other)
#define malloc(size) counted_malloc(size)
#define calloc(count, size) counted_calloc(count, size)
#define realloc(old, size) counted_realloc(old, size)
#undef strdup
#define strdup(text) counted_strdup(text)
#include "../../sensorbroker.c"
#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef clock_gettime
#undef timerfd_settime
#undef strcmp

static int counted_strcmp(const char *one, const char *other) {
    comparisons++;
    return strcmp(one, other);
}

static bool is_refused(void) {
    allocations++;
    if (refuse_after < 0) return false;
    if (refuse_after == 0) return true;
    refuse_after--;
    return false;
}
static void *counted_malloc(size_t size) { return is_refused() ? NULL : malloc(size); }
static void *counted_calloc(size_t count, size_t size) { return is_refused() ? NULL : calloc(count, size); }
static void *counted_realloc(void *old, size_t size) { return is_refused() ? NULL : realloc(old, size); }
static char *counted_strdup(const char *text) { return is_refused() ? NULL : strdup(text); }

/* What of each clock did not pass. */
static long long skipped[16];

static int patient_clock(clockid_t clock, struct timespec *now) {
    enum { MOST_NS = 50000000 };
    static long long latest[16], interrupted;
    long long time;
    if (clock_gettime(clock, now) != 0) return -1;
    time = now->tv_sec * 1000000000LL + now->tv_nsec + interrupted;
    if (clock == CLOCK_REALTIME) {
        interrupted += interruption_ns;
        interruption_ns = 0;
    }
    if (latest[clock] && look_ns > 0) skipped[clock] += time - latest[clock] - look_ns;
    else if (latest[clock] && time - latest[clock] > MOST_NS) skipped[clock] += time - latest[clock] - MOST_NS;
    latest[clock] = time;
    time -= skipped[clock];
    now->tv_sec = (time_t)(time / 1000000000);
    now->tv_nsec = (long)(time % 1000000000);
    return 0;
}

static int patient_timer(int timer, int flags, const struct itimerspec *when, struct itimerspec *former) {
    struct itimerspec later = *when;
    if (when->it_value.tv_sec != 0 || when->it_value.tv_nsec != 0) {
        long long time = when->it_value.tv_sec * 1000000000LL + when->it_value.tv_nsec + skipped[CLOCK_BOOTTIME];
        later.it_value.tv_sec = (time_t)(time / 1000000000);
        later.it_value.tv_nsec = (long)(time % 1000000000);
    }
    return timerfd_settime(timer, flags, &later, former);
}

static int failures, checks;
static const char *test_name = "";

#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)

static void check(bool holds, const char *what, const char *file, int line) {
    checks++;
    if (holds) return;
    failures++;
    printf("%s:%d: %s: not so: %s\n", file, line, test_name, what);
}
