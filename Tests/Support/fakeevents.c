// Preloaded into a program under fakeiio.py: answers the request for an IIO device's events as the kernel does, with the
// descriptor of the pipe that FAKE_EVENTS names; without a name, another program has them. While the switch that FAKE_SHY
// names is on, the sensor's count cannot be read.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/iio/events.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static FILE *(*original(const char *name))(const char *, const char *) {
    return (FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, name);
}

static int is_shy(const char *path) {
    const char *name = getenv("FAKE_SHY");
    if (!name || !strstr(path, "in_proximity_raw")) return 0;
    FILE *file = original("fopen")(name, "r");
    int first = file ? getc(file) : EOF;
    if (file) fclose(file);
    errno = EBUSY;
    return first == '1';
}

FILE *fopen(const char *path, const char *mode) { return is_shy(path) ? NULL : original("fopen")(path, mode); }

FILE *fopen64(const char *path, const char *mode) { return is_shy(path) ? NULL : original("fopen64")(path, mode); }
