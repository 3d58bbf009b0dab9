// ncurses with wide characters for Swift: its macros, its global variables and its functions with variable arguments, as
// functions; and what is left to do for the terminal if the program crashes.
#ifndef SENSORBROKER_CCURSES_H
#define SENSORBROKER_CCURSES_H

#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// What a crash writes to the terminal, and the terminal's settings before
struct ccurses_rescue {
    char text[256];
    size_t length;
    struct termios settings;
    int has_settings;
};
static inline struct ccurses_rescue *ccurses_rescue(void) {
    static struct ccurses_rescue rescue;
    return &rescue;
}
static inline void ccurses_rescue_add(const char *name) {
    struct ccurses_rescue *rescue = ccurses_rescue();
    const char *text = tigetstr(name);
    if (!text || text == (const char *)-1) return;
    size_t length = strlen(text);
    if (rescue->length + length > sizeof rescue->text) return;
    memcpy(rescue->text + rescue->length, text, length);
    rescue->length += length;
}
// Only async-signal-safe calls
static inline void ccurses_crashed(int number) {
    struct ccurses_rescue *rescue = ccurses_rescue();
    if (write(1, rescue->text, rescue->length) < 0) rescue->length = 0;
    if (rescue->has_settings) tcsetattr(0, TCSANOW, &rescue->settings);
    raise(number);
}
static inline void ccurses_prepare_rescue(void) {
    struct ccurses_rescue *rescue = ccurses_rescue();
    rescue->length = 0;
    ccurses_rescue_add("sgr0");
    ccurses_rescue_add("cnorm");
    ccurses_rescue_add("rmkx");
    ccurses_rescue_add("rmcup");
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = ccurses_crashed;
        action.sa_flags = SA_RESETHAND;
        sigaction(signals[i], &action, NULL);
    }
}

static inline void ccurses_leave_alone(int number) { (void)number; }

// Takes over the terminal of standard input and output; false if it cannot show a full screen
static inline int ccurses_begin(void) {
    struct ccurses_rescue *rescue = ccurses_rescue();
    rescue->has_settings = !tcgetattr(0, &rescue->settings);
    setlocale(LC_CTYPE, "");
    // Of a Ctrl-Z that somebody handles, ncurses keeps its hands. Else it ignores the signal while it draws, and a blocked
    // signal that comes then, or is still to be read from its descriptor, is gone.
    signal(SIGTSTP, ccurses_leave_alone);
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen) return 0;
    const char *move = tigetstr("cup");
    if (!move || move == (const char *)-1) {
        endwin();
        return 0;
    }
    ccurses_prepare_rescue();
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    leaveok(stdscr, TRUE);
    return 1;
}

static inline int ccurses_has_colours(void) { return has_colors(); }
// Colours before the terminal's own background; pairs count from 1
static inline void ccurses_begin_colours(void) {
    start_color();
    use_default_colors();
}
static inline void ccurses_pair(short pair, short colour) { init_pair(pair, colour, -1); }
static inline int ccurses_is_utf8(void) { return !strcmp(nl_langinfo(CODESET), "UTF-8"); }

static inline void ccurses_end(void) { endwin(); }

// The size of the terminal on a descriptor; false if it has none
static inline int ccurses_size(int fd, int *columns, int *lines) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size)) return 0;
    *columns = size.ws_col;
    *lines = size.ws_row;
    return 1;
}
static inline void ccurses_resize(int columns, int lines) { resizeterm(lines, columns); }

static inline void ccurses_erase(void) { erase(); }
static inline void ccurses_put(int row, int column, const char *text, int bold, int faint, int reversed, short pair) {
    attr_t look = (bold ? A_BOLD : 0) | (faint ? A_DIM : 0) | (reversed ? A_REVERSE : 0);
    attr_set(look, pair, NULL);
    mvaddstr(row, column, text);
}
static inline void ccurses_show(void) { refresh(); }
// Draws everything again, since something else has written to the terminal
static inline void ccurses_repaint(void) {
    clearok(curscr, TRUE);
    refresh();
}

// The next character or, negative, the next key; 0: there is none
static inline int ccurses_key(void) {
    wint_t key = 0;
    switch (get_wch(&key)) {
    case OK: return (int)key;
    case KEY_CODE_YES: return -(int)key;
    default: return 0;
    }
}
static const int ccurses_up = -KEY_UP, ccurses_down = -KEY_DOWN, ccurses_left = -KEY_LEFT, ccurses_right = -KEY_RIGHT,
                 ccurses_page_up = -KEY_PPAGE, ccurses_page_down = -KEY_NPAGE, ccurses_home = -KEY_HOME,
                 ccurses_key_end = -KEY_END, ccurses_enter = -KEY_ENTER, ccurses_backspace = -KEY_BACKSPACE,
                 ccurses_f1 = -KEY_F(1);

// Stops this process as Ctrl-Z does; returns when it is continued
static inline void ccurses_stop(void) { kill(getpid(), SIGSTOP); }

// Ends this process by a signal that is blocked
static inline void ccurses_die(int number) {
    signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

#endif
