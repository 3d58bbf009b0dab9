// What all headers of this module include, and the GNU declarations that they need: it is not compiled with _GNU_SOURCE, which
// would give struct fd_set another shape than `import Glibc` has.
#ifndef SENSORBROKER_CLINUX_GNU_H
#define SENSORBROKER_CLINUX_GNU_H

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

static inline int clinux_error_text(int code, char *buffer, size_t size) { return strerror_r(code, buffer, size); }

static inline int clinux_errno(void) { return errno; }

#endif
