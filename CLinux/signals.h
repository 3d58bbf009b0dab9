// Signals: held, taken, and the last words of a program that ends by one.
#ifndef SENSORBROKER_CLINUX_SIGNALS_H
#define SENSORBROKER_CLINUX_SIGNALS_H

#include "gnu.h"

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

// The number of a pending signal, 0 for none
static inline int clinux_take_signal(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

#endif
