// What the host says, and is told: the service manager, the kernel's events of devices, the clock.
#ifndef SENSORBROKER_CLINUX_HOST_H
#define SENSORBROKER_CLINUX_HOST_H

#include "sending.h"
#include "sockets.h"

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

// Whether the host's clock follows a reference: 1 or 0; -1 if that cannot be asked
static inline int clinux_is_synchronized(void) {
    struct timex state = { 0 };
    int result = adjtimex(&state);
    return result < 0 ? -1 : !(state.status & STA_UNSYNC);
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

#endif
