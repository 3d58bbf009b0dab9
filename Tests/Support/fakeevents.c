// Preloaded into a program under fakeiio.py: answers the request for an IIO device's events as the kernel does, with the
// descriptor of the pipe that FAKE_EVENTS names; without a name, another program has them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/iio/events.h>
#include <stdarg.h>
#include <stdlib.h>

int ioctl(int node, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (request != IIO_GET_EVENT_FD_IOCTL)
        return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(node, request, argument);
    const char *pipe = getenv("FAKE_EVENTS");
    if (!pipe || !*pipe) {
        errno = EBUSY;
        return -1;
    }
    *(int *)argument = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return 0;
}
