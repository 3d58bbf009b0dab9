// Waiting for descriptors, times and other threads: epoll, poll, timers, eventfd.
#ifndef SENSORBROKER_CLINUX_WAITING_H
#define SENSORBROKER_CLINUX_WAITING_H

#include "gnu.h"

// Same layout as struct epoll_event, whose union of pointers would make every use of it unsafe in Swift.
#if defined(__x86_64__)
struct __attribute__((packed)) clinux_ready { uint32_t events; uint64_t token; };
#else
struct clinux_ready { uint32_t events; uint64_t token; };
#endif
_Static_assert(sizeof(struct clinux_ready) == sizeof(struct epoll_event)
                   && offsetof(struct clinux_ready, token) == offsetof(struct epoll_event, data),
               "clinux_ready must match epoll_event");

static const uint32_t clinux_epollin = EPOLLIN;
static const uint32_t clinux_epollout = EPOLLOUT;
static const uint32_t clinux_epollpri = EPOLLPRI;
static const uint32_t clinux_epollrdhup = EPOLLRDHUP;
static const uint32_t clinux_epollhup = EPOLLHUP;
static const uint32_t clinux_epollerr = EPOLLERR;

static inline int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int clinux_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = { .events = events, .data = { .u64 = token } };
    return epoll_ctl(epoll, operation, fd, &event);
}

// nanoseconds < 0 waits for ever. Linux has epoll_pwait2 since 5.11, and the filter of an older container answers EPERM to it.
// There ppoll waits for the epoll itself: as exact, for one more call a wait.
static inline int clinux_epoll_wait(int epoll, struct clinux_ready *ready, int capacity, int64_t nanoseconds) {
    static int is_missing;
    struct epoll_event *events = (struct epoll_event *)ready;
    struct timespec timeout = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
    if (nanoseconds <= 0) return epoll_wait(epoll, events, capacity, nanoseconds < 0 ? -1 : 0);
    if (!__atomic_load_n(&is_missing, __ATOMIC_RELAXED)) {
        int count = epoll_pwait2(epoll, events, capacity, &timeout, NULL);
        if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
        __atomic_store_n(&is_missing, 1, __ATOMIC_RELAXED);
    }
    struct pollfd poll_for = { .fd = epoll, .events = POLLIN };
    int count = ppoll(&poll_for, 1, &timeout, NULL);
    return count <= 0 ? count : epoll_wait(epoll, events, capacity, 0);
}

static inline int clinux_timer_create(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

// Once, after so many nanoseconds; 0: not any more. Fails only for a descriptor that is no timer.
static inline void clinux_timer_set(int timer, int64_t nanoseconds) {
    struct itimerspec spec = { .it_value = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 } };
    timerfd_settime(timer, 0, &spec, NULL);
}

// poll(2) of up to two descriptors for reading (-1: none), with a timeout in nanoseconds; bits 0 and 1 of the result say
// which are ready
static inline int clinux_poll_two(int first, int second, int64_t nanoseconds) {
    struct pollfd fds[2] = { { .fd = first, .events = POLLIN }, { .fd = second, .events = POLLIN } };
    struct timespec timeout = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
    int n = ppoll(fds, 2, nanoseconds < 0 ? NULL : &timeout, NULL);
    return n <= 0 ? n : (fds[0].revents ? 1 : 0) | (fds[1].revents ? 2 : 0);
}

// poll(2) of a descriptor for writing, with a timeout in nanoseconds; true if it can be written or has failed
static inline int clinux_poll_writable(int fd, int64_t nanoseconds) {
    struct pollfd poll = { .fd = fd, .events = POLLOUT };
    struct timespec timeout = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
    return ppoll(&poll, 1, &timeout, NULL) > 0;
}

// A PSI file is ready with both POLLPRI and POLLERR when its control group is gone
static inline int clinux_has_failed(int fd) {
    struct pollfd poll_for = { .fd = fd };
    struct timespec now = { 0 };
    return ppoll(&poll_for, 1, &now, NULL) > 0;
}

static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#endif
