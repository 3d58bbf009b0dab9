// Other programs, started, limited and awaited, and what this process and its threads may use.
#ifndef SENSORBROKER_CLINUX_PROCESSES_H
#define SENSORBROKER_CLINUX_PROCESSES_H

#include "gnu.h"

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

// Blocks from this size on go back to the kernel as soon as they are freed; else glibc keeps what once was needed
static inline int clinux_return_blocks(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }

static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

static inline void clinux_set_timer_slack(unsigned long nanoseconds) { prctl(PR_SET_TIMERSLACK, nanoseconds); }

#endif
