// The Linux calls that `import Glibc` lacks: adapters of one line each, no logic. Constants that Swift would import in
// three different shapes arrive as plain ints. Not compiled with _GNU_SOURCE, which would give struct fd_set another shape
// than `import Glibc` has; the few GNU declarations that are wanted stand here instead.
#ifndef SENSORBROKER_CLINUX_H
#define SENSORBROKER_CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int accept4(int, struct sockaddr *, socklen_t *, int);
int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);
int memfd_create(const char *, unsigned int);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
struct clinux_credentials { pid_t pid; uid_t uid; gid_t gid; }; // struct ucred

// Same layout as struct epoll_event, whose union of pointers would make every use of it unsafe in Swift.
#if defined(__x86_64__)
struct __attribute__((packed)) clinux_ready { uint32_t events; uint64_t token; };
#else
struct clinux_ready { uint32_t events; uint64_t token; };
#endif
_Static_assert(sizeof(struct clinux_ready) == sizeof(struct epoll_event), "clinux_ready must match epoll_event");

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

// nanoseconds < 0 waits for ever
static inline int clinux_epoll_wait(int epoll, struct clinux_ready *ready, int capacity, int64_t nanoseconds) {
    struct timespec timeout = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
    return epoll_pwait2(epoll, (struct epoll_event *)ready, capacity, nanoseconds < 0 ? NULL : &timeout, NULL);
}

// poll(2) of up to two descriptors for reading (-1: none), with a timeout in nanoseconds; bit 0 and 1 of the result tell
// which is ready
static inline int clinux_poll_two(int first, int second, int64_t nanoseconds) {
    struct pollfd fds[2] = { { .fd = first, .events = POLLIN }, { .fd = second, .events = POLLIN } };
    struct timespec timeout = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
    int n = ppoll(fds, 2, nanoseconds < 0 ? NULL : &timeout, NULL);
    return n <= 0 ? n : (fds[0].revents ? 1 : 0) | (fds[1].revents ? 2 : 0);
}

// A PSI file is ready with both POLLPRI and POLLERR when its control group is gone
static inline int clinux_has_failed(int fd) {
    struct pollfd poll_for = { .fd = fd };
    struct timespec now = { 0 };
    return ppoll(&poll_for, 1, &now, NULL) > 0;
}

static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline int clinux_stream_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

static inline int clinux_blocking_stream_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// Two connected stream sockets; the first never blocks
static inline int clinux_stream_pair(int *first, int *second) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return -1;
    *first = pair[0];
    *second = pair[1];
    return fcntl(*first, F_SETFL, O_NONBLOCK);
}

// 0, or -1 with errno ENAMETOOLONG where the path does not fit
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

static inline int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

// By syscall(2): in a program with threads, glibc's send makes itself a point of cancellation first, by two atomic operations
// that are a quarter of all the instructions around it.
static inline ssize_t clinux_send(int fd, const void *bytes, size_t count) {
    return syscall(SYS_sendto, fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
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

// 0 where it is no socket
static inline uint64_t clinux_socket_cookie(int fd) {
    uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) ? 0 : cookie;
}

// The count is in and out, in groups
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

static inline int clinux_signal_descriptor(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL)) return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Starts a program, looked for on the PATH, with no signal blocked, and SIGPIPE as usual; the code of an error, 0 for none
static inline int clinux_spawn(pid_t *pid, char *const *arguments, char *const *environment) {
    posix_spawnattr_t attributes;
    sigset_t none, pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int code = posix_spawnp(pid, arguments[0], NULL, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    return code;
}

// 1 if a child has ended: its status, or 128 and the signal that ended it, as shells have it; 0 if not
static inline int clinux_reap(pid_t pid, int *status) {
    if (waitpid(pid, status, WNOHANG) != pid) return 0;
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
    return 1;
}

// The number of a pending signal, 0 for none
static inline int clinux_take_signal(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

static inline int clinux_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }

// A record lock beside the flock: only of this kind does the kernel tell whose it is
static inline int clinux_sign_lock(int fd) {
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fd, F_SETLK, &lock);
}

// The process that signed the lock; 0 if none did
static inline pid_t clinux_lock_signer(int fd) {
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

// One datagram to the service manager's socket, a path or, with @, an abstract name; dropped rather than waited for
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

static inline int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

// F_ADD_SEALS, which is a GNU declaration, with F_SEAL_SEAL, _SHRINK, _GROW and _WRITE: nobody can change the file any more
static inline int clinux_seal(int fd) { return fcntl(fd, 1033, 0xf); }

// The same with some descriptors, at most 250; it waits at most so many milliseconds for room, with 0 not at all
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

// Nil where there is no memory
static inline int64_t *clinux_map_words(int fd, int count) {
    void *words = ftruncate(fd, count * sizeof(int64_t)) ? MAP_FAILED
        : mmap(NULL, count * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return words == MAP_FAILED ? NULL : words;
}

static inline void clinux_unmap_words(int64_t *words, int count) { munmap(words, count * sizeof(int64_t)); }

// Not moved about by the compiler: another process may read the word at any time
static inline void clinux_write_word(int64_t *word, int64_t value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }

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

// Writes what a pipe or a socket that has room takes without waiting; up to PIPE_BUF that is all
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
