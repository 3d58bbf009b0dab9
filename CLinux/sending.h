// Sending and receiving bytes, and a note of what the kernel took.
#ifndef SENSORBROKER_CLINUX_SENDING_H
#define SENSORBROKER_CLINUX_SENDING_H

#include "gnu.h"

// By syscall(2): in a program with threads, glibc's send first becomes a cancellation point, which takes two atomic operations,
// a quarter of all the instructions around it.
static inline ssize_t clinux_send(int fd, const void *bytes, size_t count) {
    return syscall(SYS_sendto, fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
}

// A note of a message, in memory that outlives the process: its tag, its length and how much of it the kernel took. The kernel
// writes this itself, so it is right wherever the process is killed, even while the call returns.
#define CLINUX_NOTE_WORDS 10
struct clinux_note {
    int64_t tag, length;
    struct {
        struct msghdr header;
        unsigned int taken;
    } message; // what sendmmsg(2) takes
};
_Static_assert(sizeof(struct clinux_note) <= CLINUX_NOTE_WORDS * sizeof(int64_t), "a note fits into its words");

static inline ssize_t clinux_send_noted(int fd, const void *bytes, size_t count, int64_t *words, int64_t tag) {
    struct clinux_note *note = (struct clinux_note *)words;
    struct iovec vector = { .iov_base = (void *)bytes, .iov_len = count };
    __atomic_store_n(&note->tag, 0, __ATOMIC_RELEASE);
    note->length = count;
    note->message.taken = 0;
    note->message.header = (struct msghdr) { .msg_iov = &vector, .msg_iovlen = 1 };
    __atomic_store_n(&note->tag, tag, __ATOMIC_RELEASE);
    long sent = syscall(SYS_sendmmsg, fd, &note->message, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent == 1 ? (ssize_t)note->message.taken : sent;
}

static inline int64_t clinux_noted_bytes(const int64_t *words) {
    return ((const struct clinux_note *)words)->message.taken;
}

static inline ssize_t clinux_send_blocking(int fd, const void *bytes, size_t count) {
    return send(fd, bytes, count, MSG_NOSIGNAL);
}

static inline ssize_t clinux_receive(int fd, void *bytes, size_t capacity) {
    return recv(fd, bytes, capacity, MSG_DONTWAIT);
}

// Writes what a pipe or socket with room takes without waiting; up to PIPE_BUF bytes are written completely
static inline ssize_t clinux_write_now(int fd, const void *bytes, size_t count) {
    struct pollfd poll_for = { .fd = fd, .events = POLLOUT };
    struct timespec now = { 0 };
    return ppoll(&poll_for, 1, &now, NULL) > 0 && poll_for.revents & POLLOUT ? write(fd, bytes, count) : -1;
}

#endif
