// Sockets of all kinds, and who is at their other end.
#ifndef SENSORBROKER_CLINUX_SOCKETS_H
#define SENSORBROKER_CLINUX_SOCKETS_H

#include "gnu.h"

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

#endif
