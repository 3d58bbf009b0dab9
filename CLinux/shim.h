// The Linux calls that `import Glibc` lacks: adapters of one line each, no logic. Constants that Swift would import in
// three different shapes arrive as plain ints. Not compiled with _GNU_SOURCE, which would give struct fd_set another shape
// than `import Glibc` has; the few GNU declarations that are needed are repeated here.
#ifndef SENSORBROKER_CLINUX_H
#define SENSORBROKER_CLINUX_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/iio/events.h>
#include <linux/memfd.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/unix_diag.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Of the product SensorBrokerSimulation: only a program that links it has this function.
void *sensorbroker_simulation(void) __attribute__((weak));
static inline void *clinux_sensorbroker_simulation(void) {
    return sensorbroker_simulation ? sensorbroker_simulation() : NULL;
}

// With 32-bit pointers, glibc has the functions of 64-bit times and lengths under names of their own.
#if defined(__GLIBC__) && __SIZEOF_POINTER__ == 4 && __TIMESIZE == 32
#define CLINUX_64_BITS(name) __asm__(name)
#else
#define CLINUX_64_BITS(name)
#endif
_Static_assert(sizeof(time_t) == 8 && sizeof(off_t) == 8,
               "where pointers have 32 bits, build with -Xcc -D_FILE_OFFSET_BITS=64 -Xcc -D_TIME_BITS=64");

int accept4(int, struct sockaddr *, socklen_t *, int);
int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) CLINUX_64_BITS("__ppoll64");
int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *)
    CLINUX_64_BITS("__epoll_pwait2_time64");
int fallocate(int, int, off_t, off_t) CLINUX_64_BITS("fallocate64");
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
int memfd_create(const char *, unsigned int);
int pipe2(int[2], int);
int execvpe(const char *, char *const *, char *const *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
// struct dl_phdr_info: a loaded program or library, and what it consists of
#if __SIZEOF_POINTER__ == 8
typedef Elf64_Phdr clinux_segment;
#else
typedef Elf32_Phdr clinux_segment;
#endif
struct clinux_loaded { uintptr_t base; const char *name; const clinux_segment *segments; uint16_t count; };
int dl_iterate_phdr(int (*)(struct clinux_loaded *, size_t, void *), void *);
struct clinux_credentials { pid_t pid; uid_t uid; gid_t gid; }; // struct ucred

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

// The descriptor of an IIO device's events, which outlives that of its node and never blocks; -1 with errno
static inline int clinux_iio_events(int node) {
    int events = -1;
    if (ioctl(node, IIO_GET_EVENT_FD_IOCTL, &events)) return -1;
    // Kernels before 5.10 return an error as the descriptor.
    if (events < 0) { errno = -events; return -1; }
    if (!fcntl(events, F_SETFL, O_NONBLOCK)) return events;
    int error = errno;
    close(events);
    errno = error;
    return -1;
}

static const int clinux_iio_event_bytes = sizeof(struct iio_event_data);

static inline int clinux_stream_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

static inline int clinux_network_socket(int family) { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

static inline int clinux_datagram_socket(int family) { return socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0); }

static inline int clinux_blocking_stream_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// Two connected stream sockets; the first never blocks
static inline int clinux_stream_pair(int *first, int *second) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return -1;
    *first = pair[0];
    *second = pair[1];
    return fcntl(*first, F_SETFL, O_NONBLOCK);
}

// 0, or -1 with errno ENAMETOOLONG if the path does not fit
static inline int clinux_unix_address(const char *path, struct sockaddr_un *address) {
    size_t length = strlen(path);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (length >= sizeof address->sun_path) { errno = ENAMETOOLONG; return -1; }
    memcpy(address->sun_path, path, length + 1);
    return 0;
}

static inline int clinux_bind_unix(int fd, const char *path) {
    struct sockaddr_un address;
    return clinux_unix_address(path, &address) ? -1 : bind(fd, (struct sockaddr *)&address, sizeof address);
}

static inline int clinux_connect_unix(int fd, const char *path) {
    struct sockaddr_un address;
    return clinux_unix_address(path, &address) ? -1 : connect(fd, (struct sockaddr *)&address, sizeof address);
}

// The longest time that connect(2) and send(2) may block, at least a microsecond; after it they fail with EAGAIN
static inline int clinux_limit_sending(int fd, int64_t nanoseconds) {
    struct timeval limit = { .tv_sec = nanoseconds / 1000000000, .tv_usec = nanoseconds % 1000000000 / 1000 };
    if (!limit.tv_sec && !limit.tv_usec) limit.tv_usec = 1;
    return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// The address of an abstract name, which exists in the network namespace and not in a file system; its length, 0 for too long
static inline socklen_t clinux_abstract_address(const char *name, struct sockaddr_un *address) {
    size_t length = strlen(name);
    if (length + 1 > sizeof address->sun_path) { errno = ENAMETOOLONG; return 0; }
    *address = (struct sockaddr_un) { .sun_family = AF_UNIX };
    memcpy(address->sun_path + 1, name, length);
    return offsetof(struct sockaddr_un, sun_path) + 1 + length;
}

static inline int clinux_close_failed(int fd) {
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

// A socket that listens at an abstract name; -1 with EADDRINUSE if the name is taken
static inline int clinux_listen_abstract(const char *name) {
    struct sockaddr_un address;
    socklen_t size = clinux_abstract_address(name, &address);
    int fd = size ? clinux_blocking_stream_socket() : -1;
    if (fd < 0 || (!bind(fd, (struct sockaddr *)&address, size) && !listen(fd, 128))) return fd;
    return clinux_close_failed(fd);
}

// A socket connected to an abstract name; -1 with EAGAIN if the backlog stays full
static inline int clinux_connect_abstract(const char *name, int milliseconds) {
    struct sockaddr_un address;
    socklen_t size = clinux_abstract_address(name, &address);
    int fd = size ? clinux_blocking_stream_socket() : -1;
    if (fd < 0) return -1;
    if (!clinux_limit_sending(fd, milliseconds * 1000000LL) && !connect(fd, (struct sockaddr *)&address, size)) return fd;
    return clinux_close_failed(fd);
}

// Looks for an abstract name in one message of a list of sockets; 1 and the user if it is there, 0 if not, -1 for an error
static inline int clinux_find_owner(const struct nlmsghdr *message, const char *name, unsigned *user) {
    const struct unix_diag_msg *socket = NLMSG_DATA(message);
    size_t length = strlen(name);
    long left = (long)message->nlmsg_len - (long)NLMSG_LENGTH(sizeof *socket);
    const struct nlattr *attribute = (const void *)(socket + 1);
    int is_named = 0, has_user = 0;
    while (left >= (long)NLA_HDRLEN && attribute->nla_len >= NLA_HDRLEN && attribute->nla_len <= left) {
        const char *value = (const char *)attribute + NLA_HDRLEN;
        size_t size = attribute->nla_len - NLA_HDRLEN;
        if (attribute->nla_type == UNIX_DIAG_NAME) is_named = size == length + 1 && !value[0] && !memcmp(value + 1, name, length);
        if (attribute->nla_type == UNIX_DIAG_UID && size == sizeof *user) { memcpy(user, value, size); has_user = 1; }
        left -= NLA_ALIGN(attribute->nla_len);
        attribute = (const void *)((const char *)attribute + NLA_ALIGN(attribute->nla_len));
    }
    if (is_named && !has_user) errno = EOPNOTSUPP;
    return is_named ? (has_user ? 1 : -1) : 0;
}

// The user whose socket listens at an abstract name, as the kernel lists it, so that the socket need not answer; -1 with ENOENT
// if none does, or another error. sock_diag(7)
static inline int clinux_abstract_owner(const char *name, unsigned *user) {
    struct { struct nlmsghdr header; struct unix_diag_req request; } ask = {
        .header = { .nlmsg_len = sizeof ask, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
        .request = { .sdiag_family = AF_UNIX, .udiag_states = 1 << TCP_LISTEN, .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_UID },
    };
    _Alignas(struct nlmsghdr) char answer[32768];
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) return -1;
    int found = send(fd, &ask, sizeof ask, MSG_NOSIGNAL) < 0 ? -1 : 0;
    while (!found) {
        ssize_t count = recv(fd, answer, sizeof answer, 0);
        if (count <= 0) { if (!count) errno = EPROTO; found = -1; }
        for (struct nlmsghdr *message = (void *)answer; !found && NLMSG_OK(message, count); message = NLMSG_NEXT(message, count)) {
            if (message->nlmsg_type == NLMSG_DONE) { errno = ENOENT; found = -1; }
            else if (message->nlmsg_type == NLMSG_ERROR) {
                errno = message->nlmsg_len < NLMSG_LENGTH(sizeof(int)) ? EPROTO : -*(int *)NLMSG_DATA(message);
                found = -1;
            } else if (message->nlmsg_type == SOCK_DIAG_BY_FAMILY && message->nlmsg_len >= NLMSG_LENGTH(sizeof(struct unix_diag_msg)))
                found = clinux_find_owner(message, name, user);
        }
    }
    clinux_close_failed(fd);
    return found > 0 ? 0 : -1;
}

// 0 if a socket has connected, EINPROGRESS if it is still connecting, else the error
static inline int clinux_connect_result(int fd) {
    struct pollfd poll_for = { .fd = fd, .events = POLLOUT };
    struct timespec now = { 0 };
    int code = 0;
    socklen_t size = sizeof code;
    if (ppoll(&poll_for, 1, &now, NULL) <= 0) return EINPROGRESS;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) ? errno : code;
}

static inline int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

static inline void clinux_send_at_once(int fd) {
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

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

static inline int clinux_peer(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct clinux_credentials credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size)) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

// 0 if it is not a socket
static inline uint64_t clinux_socket_cookie(int fd) {
    uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) ? 0 : cookie;
}

// The count is input and output, in groups
static inline int clinux_peer_groups(int fd, gid_t *groups, int *count) {
    socklen_t size = (socklen_t)*count * sizeof *groups;
    int result = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size);
    *count = (int)(size / sizeof *groups);
    return result;
}

static inline int clinux_set_send_buffer(int fd, int bytes) {
    return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

// Bytes in a Unix stream that its peer has not read yet
static inline int clinux_unread_bytes(int fd) {
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) ? 0 : bytes;
}

// Raises the soft limit on descriptors to the hard one
static inline void clinux_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// The hard limit on descriptors; -1 if it is unknown, or there is none
static inline long clinux_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max == RLIM_INFINITY) return -1;
    return (long)limit.rlim_max;
}

static inline int clinux_signal_descriptor(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL)) return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static inline int clinux_is_signal_ignored(int number) {
    struct sigaction action;
    return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

// Blocks the signals that are not ignored: a blocked signal stays pending even if it is ignored
static inline int clinux_hold_signals(const int *signals, int count, sigset_t *before) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) if (!clinux_is_signal_ignored(signals[i])) sigaddset(&set, signals[i]);
    return pthread_sigmask(SIG_BLOCK, &set, before);
}

static inline int clinux_is_signal_pending(const int *signals, int count) {
    sigset_t set;
    if (sigpending(&set)) return 0;
    for (int i = 0; i < count; i++) if (sigismember(&set, signals[i]) == 1) return 1;
    return 0;
}

// Makes each of these signals that is not ignored end the program with 0, after a message on standard error. In C, because a
// handler may only do what is async-signal-safe: not even read a Swift global, which is created when it is first read
static inline const char **clinux_last_words(void) {
    static const char *words;
    return &words;
}
static inline void clinux_end_with_words(int number) {
    const char *words = *clinux_last_words();
    if (write(2, words, strlen(words)) < 0) number = 0;
    _exit(0);
}
static inline void clinux_end_at_signals(const int *signals, int count, const char *words) {
    *clinux_last_words() = words;
    for (int i = 0; i < count; i++) if (!clinux_is_signal_ignored(signals[i])) signal(signals[i], clinux_end_with_words);
}
static inline void clinux_end_at_no_signals(const int *signals, int count) {
    for (int i = 0; i < count; i++) if (!clinux_is_signal_ignored(signals[i])) signal(signals[i], SIG_DFL);
}

// Starts a program from the PATH with no signal blocked, the default SIGPIPE and SIGXFSZ, and a SIGTERM when the calling
// thread ends; returns an errno, 0 for success. Uses fork because posix_spawn cannot set that signal. Between fork and
// exec it makes only async-signal-safe calls. An error comes through a pipe that exec closes.
static inline int clinux_spawn(pid_t *pid, char *const *arguments, char *const *environment) {
    int report[2], code = 0;
    pid_t parent = getpid();
    if (pipe2(report, O_CLOEXEC)) return errno;
    *pid = fork();
    if (*pid == 0) {
        sigset_t none;
        sigemptyset(&none);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        // If the parent ended before the signal was set, the signal will never come.
        if (!prctl(PR_SET_PDEATHSIG, SIGTERM) && getppid() == parent) execvpe(arguments[0], arguments, environment);
        code = errno;
        ssize_t written = write(report[1], &code, sizeof code);
        _exit(written < 0 ? 126 : 127);
    }
    if (*pid < 0) code = errno;
    close(report[1]);
    if (*pid > 0) {
        ssize_t count;
        do count = read(report[0], &code, sizeof code); while (count < 0 && errno == EINTR);
        if (count != sizeof code) code = 0;
        else waitpid(*pid, NULL, 0);
    }
    close(report[0]);
    return code;
}

// A program to be spawned gets none of the files from this number on
static inline int clinux_spawn_closed(posix_spawn_file_actions_t *files, int from) {
    return posix_spawn_file_actions_addclosefrom_np(files, from);
}

// Limits of a program that reads a stranger's file: its memory, the length of what it writes, its processor time
static inline void clinux_limit(pid_t pid, int64_t memory, int64_t output, int64_t seconds) {
    int64_t limits[][2] = { { memory, memory }, { output, output }, { seconds, seconds } };
    int kinds[] = { RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_CPU };
    for (int place = 0; place < 3; place++) syscall(SYS_prlimit64, pid, kinds[place], limits[place], NULL);
}

// For a child that handles a stranger's bytes: it ends with its parent's thread, leaves no core and cannot be traced, gains no
// rights, writes no file, starts no process, and has at most so much data
static inline void clinux_confine(int64_t data) {
    struct rlimit none = { 0, 0 }, most = { data, data };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    setrlimit(RLIMIT_NPROC, &none);
    setrlimit(RLIMIT_DATA, &most);
}

// The signal that ended a child, 0 if it ended by itself or is none of ours; -1 while it runs
static inline int clinux_ended_by(pid_t pid) {
    int status = 0;
    pid_t ended = waitpid(pid, &status, WNOHANG);
    return ended == 0 ? -1 : ended == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// Any child that has ended: its id and its status, or 128 plus the signal that ended it, as in shells; 0 for none
static inline pid_t clinux_reap(int *status) {
    pid_t pid = waitpid(-1, status, WNOHANG);
    if (pid <= 0) return 0;
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
    return pid;
}

// The number of a pending signal, 0 for none
static inline int clinux_take_signal(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

// Whether the host's clock follows a reference: 1 or 0; -1 if that cannot be asked
static inline int clinux_is_synchronized(void) {
    struct timex state = { 0 };
    int result = adjtimex(&state);
    return result < 0 ? -1 : !(state.status & STA_UNSYNC);
}

static inline int clinux_inotify(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

// Events that remove a name, or put another file in its place
static inline int clinux_watch_removals(int fd, const char *path) {
    return inotify_add_watch(fd, path, IN_DELETE | IN_MOVE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW);
}

// The path at which a Unix socket was bound; its length, 0 for none or too long
static inline int clinux_socket_path(int fd, char *path, size_t capacity) {
    struct sockaddr_un address = { 0 };
    socklen_t size = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &size) || address.sun_family != AF_UNIX) return 0;
    size_t length = strnlen(address.sun_path, sizeof address.sun_path);
    if (length >= capacity) return 0;
    memcpy(path, address.sun_path, length);
    path[length] = 0;
    return (int)length;
}

// A shared lock, held as long as the descriptor is open
static inline int clinux_lock_shared(int fd) { return flock(fd, LOCK_SH | LOCK_NB); }

static inline int clinux_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }

static inline void clinux_unlock(int fd) { flock(fd, LOCK_UN); }

// A record lock beside the flock: the kernel names the owner only of this kind of lock
static inline int clinux_sign_lock(int fd) {
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fd, F_SETLK, &lock);
}

// The process that signed the lock; 0 if none did
static inline pid_t clinux_lock_signer(int fd) {
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

// One datagram to the service manager's socket, a path or, with @, an abstract name; dropped if the call would have to wait
static inline int clinux_notify(const char *path, const char *text) {
    struct sockaddr_un address;
    if (clinux_unix_address(path, &address)) return -1;
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + strlen(path);
    if (path[0] == '@') address.sun_path[0] = 0; else size++;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    ssize_t sent = sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    close(fd);
    return sent < 0 ? -1 : 0;
}

// A file without a name in a directory, O_TMPFILE, which is a GNU declaration
static inline int clinux_temporary_file(const char *directory) {
    return open(directory, 020000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0600);
}

// Room for the bytes of a file from an offset on, whose length stays: FALLOC_FL_KEEP_SIZE, which is a GNU declaration
static inline int clinux_reserve(int fd, int64_t offset, int64_t count) {
    return fallocate(fd, 1, offset, count);
}

// Never replaces an existing file; if the file system cannot guarantee that, this checks before it renames
static inline int clinux_rename_new(const char *from, const char *to) {
    struct stat status;
    if (!syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1)) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    if (!lstat(to, &status)) { errno = EEXIST; return -1; }
    return rename(from, to);
}

// Blocks from this size on go back to the kernel as soon as they are freed; else glibc keeps what once was needed
static inline int clinux_return_blocks(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }

static inline int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

// F_ADD_SEALS, which is a GNU declaration, with F_SEAL_SEAL, _SHRINK, _GROW and _WRITE: nobody can change the file any more
static inline int clinux_seal(int fd) { return fcntl(fd, 1033, 0xf); }

// The same with at most 250 descriptors; waits at most this many milliseconds for room, with 0 not at all
static inline int clinux_notify_descriptors(const char *path, const char *text, const int *fds, int count, int milliseconds) {
    struct sockaddr_un address;
    union { struct cmsghdr header; char space[CMSG_SPACE(250 * sizeof(int))]; } control = { 0 };
    struct iovec data = { .iov_base = (void *)text, .iov_len = strlen(text) };
    struct timeval wait = { .tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000 };
    if (count < 0 || count > 250) { errno = EINVAL; return -1; }
    if (clinux_unix_address(path, &address)) return -1;
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + strlen(path);
    if (path[0] == '@') address.sun_path[0] = 0; else size++;
    struct msghdr message = {
        .msg_name = &address, .msg_namelen = size, .msg_iov = &data, .msg_iovlen = 1,
    };
    if (count) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL | (milliseconds ? 0 : MSG_DONTWAIT));
    int code = errno;
    close(fd);
    errno = code;
    return sent < 0 ? -1 : 0;
}

// Null if there is no memory
static inline int64_t *clinux_map_words(int fd, int count) {
    void *words = ftruncate(fd, count * sizeof(int64_t)) ? MAP_FAILED
        : mmap(NULL, count * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return words == MAP_FAILED ? NULL : words;
}

static inline void clinux_unmap_words(int64_t *words, int count) { munmap(words, count * sizeof(int64_t)); }

// Stored in program order, which is all that a reader needs after this process has died
static inline void clinux_write_word(int64_t *word, int64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

static inline int clinux_set_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) || fcntl(fd, F_SETFD, FD_CLOEXEC) ? -1 : 0;
}

// Kernel uevents: group 1; group 2 is udev's own. The buffer holds a storm of them.
static inline int clinux_uevent_socket(void) {
    struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
    int bytes = 1 << 20;
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (!bind(fd, (struct sockaddr *)&address, sizeof address)) return fd;
    close(fd);
    return -1;
}

// Bytes of the next message; sender 0 is the kernel
static inline ssize_t clinux_receive_uevent(int fd, void *bytes, size_t capacity, uint32_t *sender) {
    struct sockaddr_nl address = { 0 };
    socklen_t size = sizeof address;
    ssize_t count = recvfrom(fd, bytes, capacity, MSG_DONTWAIT, (struct sockaddr *)&address, &size);
    *sender = address.nl_pid;
    return count;
}

// Writes what a pipe or socket with room takes without waiting; up to PIPE_BUF bytes are written completely
static inline ssize_t clinux_write_now(int fd, const void *bytes, size_t count) {
    struct pollfd poll_for = { .fd = fd, .events = POLLOUT };
    struct timespec now = { 0 };
    return ppoll(&poll_for, 1, &now, NULL) > 0 && poll_for.revents & POLLOUT ? write(fd, bytes, count) : -1;
}

static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

static inline void clinux_set_timer_slack(unsigned long nanoseconds) { prctl(PR_SET_TIMERSLACK, nanoseconds); }

static inline int clinux_error_text(int code, char *buffer, size_t size) { return strerror_r(code, buffer, size); }

static inline int clinux_errno(void) { return errno; }

#endif
