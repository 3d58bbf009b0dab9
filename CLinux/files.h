// Files: locks, names, room on the disk, and memory that outlives a process.
#ifndef SENSORBROKER_CLINUX_FILES_H
#define SENSORBROKER_CLINUX_FILES_H

#include "gnu.h"

static inline int clinux_inotify(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

// Events that remove a name, or put another file in its place
static inline int clinux_watch_removals(int fd, const char *path) {
    return inotify_add_watch(fd, path, IN_DELETE | IN_MOVE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW);
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

static inline int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

// F_ADD_SEALS, which is a GNU declaration, with F_SEAL_SEAL, _SHRINK, _GROW and _WRITE: nobody can change the file any more
static inline int clinux_seal(int fd) { return fcntl(fd, 1033, 0xf); }

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

#endif
