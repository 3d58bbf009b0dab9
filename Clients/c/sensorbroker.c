/*
 * sensorbroker.c - the client library of sensorbrokerd, in one file
 *
 * From the bottom up: memory of a message · a strict reader of JSON · the interface's forms as tables · calls as text ·
 * sockets · requests and what is known of them · the stream · events for the program · a program as a sensor.
 *
 * Why a reader of its own, and none of Debian's (jansson, json-c, cJSON, yajl, json-glib): all of them build a tree, with
 * memory for each number, or call back for each number; none takes a column of numbers, or base64, as an array. A reading of
 * 300 numbers costs them 300 allocations. They also differ in what they let pass (duplicate keys, broken UTF-8, depth, numbers
 * beyond a double), and each is a dependency of every program. This one reads a message once, in place, straight into the
 * structures of the header, and refuses whatever the broker cannot have written.
 *
 * What comes from the socket is taken for hostile: a message is decoded as a whole before anything of it reaches the program,
 * and one that is not as it should be ends the connection. Sizes, depth and keys are bounded.
 *
 * Compiles as C99 and as C++.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l, CLOCK_BOOTTIME */
#endif

#include "sensorbroker.h"

#include <errno.h>
#include <float.h>
#include <grp.h>
#include <locale.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define INTERFACE "io.sensorbroker.Broker."
#define SOCKET_NAME "io.sensorbroker.Broker"
#define FEED_INTERFACE "io.sensorbroker.Feed."
#define FEED_SOCKET_NAME "io.sensorbroker.Feed"

/* The largest reply, as in other implementations of Varlink, and the memory that one may need when it is decoded. */
enum { MESSAGE_BYTES = 16 << 20, DECODED_BYTES = 64 << 20 };
/* What exceeds this is given back when a message has been dealt with: a broker's are far smaller. */
enum { KEPT_BYTES = 2 << 20 };
enum { DEPTH = 16, KEYS = 1 << 20, UNKNOWN_KEYS = 256 };
/* A call may have 64 KiB, and counts as more than one if it is long. */
enum { REQUESTS_PER_CALL = 20 };
enum { NAME_BYTES = 255 };
/* What a turn hears at most, so that a broker that never ends does not keep the program. */
enum { MESSAGES_PER_TURN = 256 };

#define SECOND ((int64_t)1000000000)
/* A stream that was silent for so long is suspect (the broker sends a sign of life every 30 s), and then has so long to
   send one. */
#define SUSPECT_NS (90 * SECOND)
#define DOUBT_NS (5 * SECOND)
/* How long the broker may take for what it can answer at once. */
#define ANSWER_NS (15 * SECOND)
/* What a provider that ends has not sent yet may take so long. */
#define FINISH_NS (2 * SECOND)
/* How long a reply to a call may take that is to be made without a wait. */
#define REPLY_NS SECOND
#define FIRST_WAIT_NS (SECOND / 4)
#define LONGEST_WAIT_NS (2 * SECOND)
#define NEVER INT64_MAX

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* A sum or product that stays at the ends of its range. */
static int64_t plus(int64_t a, int64_t b) {
    if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
    return a + b;
}

static int64_t times(int64_t a, int64_t b) { return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b; }

/* ================================================================ Memory of a message: freed all at once, and reused */

struct chunk {
    struct chunk *next;
    size_t size, used;
    /* The bytes follow. */
};

struct arena {
    struct chunk *chunk;
    size_t total;
};

enum { CHUNK_HEADER = (sizeof(struct chunk) + 15) / 16 * 16 };

static char *chunk_bytes(struct chunk *chunk) { return (char *)chunk + CHUNK_HEADER; }

static bool arena_add_chunk(struct arena *arena, size_t size) {
    struct chunk *chunk;
    if (arena->total + size > DECODED_BYTES) return false;
    chunk = (struct chunk *)malloc(CHUNK_HEADER + size);
    if (!chunk) return false;
    chunk->next = arena->chunk;
    chunk->size = size;
    chunk->used = 0;
    arena->chunk = chunk;
    arena->total += size;
    return true;
}

static void *arena_take(struct arena *arena, size_t bytes) {
    void *place;
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > DECODED_BYTES) return NULL;
    if (!arena->chunk || arena->chunk->size - arena->chunk->used < bytes) {
        size_t size = arena->chunk ? 2 * arena->chunk->size : 4096;
        while (size < bytes) size *= 2;
        if (!arena_add_chunk(arena, size)) return NULL;
    }
    place = chunk_bytes(arena->chunk) + arena->chunk->used;
    arena->chunk->used += bytes;
    return place;
}

/* More room for what was taken: in its place if nothing was taken since, else elsewhere. */
static void *arena_extend(struct arena *arena, void *old, size_t old_bytes, size_t new_bytes) {
    size_t old_room = (old_bytes + 15) / 16 * 16, new_room = (new_bytes + 15) / 16 * 16;
    struct chunk *chunk = arena->chunk;
    void *place;
    if (old && chunk && (char *)old + old_room == chunk_bytes(chunk) + chunk->used
        && chunk->size - chunk->used >= new_room - old_room) {
        chunk->used += new_room - old_room;
        return old;
    }
    place = arena_take(arena, new_bytes);
    if (place && old) memcpy(place, old, old_bytes);
    return place;
}

static void arena_free(struct arena *arena) {
    while (arena->chunk) {
        struct chunk *next = arena->chunk->next;
        free(arena->chunk);
        arena->chunk = next;
    }
    arena->total = 0;
}

/* Several chunks become one, so that the next message of the same size needs no memory. */
static void arena_reset(struct arena *arena) {
    if (arena->chunk && (arena->chunk->next || arena->total > KEPT_BYTES)) {
        size_t total = arena->total;
        arena_free(arena);
        if (total <= KEPT_BYTES) (void)arena_add_chunk(arena, total);
    }
    if (arena->chunk) arena->chunk->used = 0;
}

static char *arena_text(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *arena_text(struct arena *arena, const char *format, ...) {
    char line[512];
    char *copy;
    size_t length;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    length = strlen(line) + 1;
    copy = (char *)arena_take(arena, length);
    if (copy) memcpy(copy, line, length);
    return copy;
}

/* ================================================================ A strict reader of JSON, in place */

/* Reads a message that a NUL byte ends, and writes into it: texts are unescaped and ended in their place. A NUL byte is valid
   nowhere, so that each loop stops at the end by itself. */
struct reader {
    char *at;
    struct arena *arena;
    locale_t locale;    /* in which numbers have a point */
    const char *fault;  /* what is wrong; the first one counts */
    const char *field;  /* the field that has it, if it is one of the interface's */
    unsigned depth, keys;
    const char *unknown[UNKNOWN_KEYS]; /* keys that no table has, of all objects around the place */
    unsigned unknown_count;
};

static bool fail(struct reader *reader, const char *fault) {
    if (!reader->fault) reader->fault = fault;
    return false;
}

static const char *const no_memory = "its reply needs too much memory";

static void skip_space(struct reader *reader) {
    while (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\r' || *reader->at == '\t') reader->at++;
}

/* Skips space and then the byte, if it comes next. */
static bool take(struct reader *reader, char byte) {
    skip_space(reader);
    if (*reader->at != byte) return false;
    reader->at++;
    return true;
}

static bool expect(struct reader *reader, char byte) { return take(reader, byte) || fail(reader, "its reply is not valid JSON"); }

static bool literal(struct reader *reader, const char *word) {
    size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0) return fail(reader, "its reply is not valid JSON");
    reader->at += length;
    return true;
}

static bool enter(struct reader *reader) {
    if (++reader->depth > DEPTH) return fail(reader, "its reply is nested too deeply");
    return true;
}

/* The length of the UTF-8 sequence of several bytes at a place; 0 if it is not valid (RFC 3629). */
static size_t utf8_sequence(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    size_t length, i;
    if (b[0] >= 0xC2 && b[0] <= 0xDF)
        length = 2;
    else if (b[0] >= 0xE0 && b[0] <= 0xEF)
        length = 3;
    else if (b[0] >= 0xF0 && b[0] <= 0xF4)
        length = 4;
    else
        return 0;
    for (i = 1; i < length; i++)
        if ((b[i] & 0xC0) != 0x80) return 0;
    if (b[0] == 0xE0 && b[1] < 0xA0) return 0;
    if (b[0] == 0xED && b[1] > 0x9F) return 0;
    if (b[0] == 0xF0 && b[1] < 0x90) return 0;
    if (b[0] == 0xF4 && b[1] > 0x8F) return 0;
    return length;
}

static bool hexadecimal(struct reader *reader, unsigned long *value) {
    int i;
    *value = 0;
    for (i = 0; i < 4; i++) {
        char c = *reader->at;
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = (unsigned)(c - 'A') + 10;
        else
            return fail(reader, "a text has an invalid escape");
        *value = *value << 4 | digit;
        reader->at++;
    }
    return true;
}

/* Reads an escape behind its backslash; appends its UTF-8, which is never longer than the escape. */
static bool escape(struct reader *reader, char **into) {
    char *out = *into;
    unsigned long scalar, low;
    char c = *reader->at++;
    switch (c) {
    case '"':
    case '\\':
    case '/': *out++ = c; break;
    case 'b': *out++ = '\b'; break;
    case 'f': *out++ = '\f'; break;
    case 'n': *out++ = '\n'; break;
    case 'r': *out++ = '\r'; break;
    case 't': *out++ = '\t'; break;
    case 'u':
        if (!hexadecimal(reader, &scalar)) return false;
        if (scalar >= 0xDC00 && scalar <= 0xDFFF) return fail(reader, "a text has half a surrogate pair");
        if (scalar >= 0xD800 && scalar <= 0xDBFF) {
            if (reader->at[0] != '\\' || reader->at[1] != 'u') return fail(reader, "a text has half a surrogate pair");
            reader->at += 2;
            if (!hexadecimal(reader, &low)) return false;
            if (low < 0xDC00 || low > 0xDFFF) return fail(reader, "a text has half a surrogate pair");
            scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
        }
        if (scalar == 0) return fail(reader, "a text has a NUL");
        if (scalar < 0x80) {
            *out++ = (char)scalar;
        } else if (scalar < 0x800) {
            *out++ = (char)(0xC0 | scalar >> 6);
            *out++ = (char)(0x80 | (scalar & 0x3F));
        } else if (scalar < 0x10000) {
            *out++ = (char)(0xE0 | scalar >> 12);
            *out++ = (char)(0x80 | (scalar >> 6 & 0x3F));
            *out++ = (char)(0x80 | (scalar & 0x3F));
        } else {
            *out++ = (char)(0xF0 | scalar >> 18);
            *out++ = (char)(0x80 | (scalar >> 12 & 0x3F));
            *out++ = (char)(0x80 | (scalar >> 6 & 0x3F));
            *out++ = (char)(0x80 | (scalar & 0x3F));
        }
        break;
    default: return fail(reader, "a text has an invalid escape");
    }
    *into = out;
    return true;
}

/* Whether a byte of a text stands for itself: ASCII without control characters, quotes and backslashes. */
static bool is_plain(char byte) {
    unsigned char c = (unsigned char)byte;
    return c != '"' && c != '\\' && c >= 0x20 && c < 0x80;
}

/* Reads the text whose opening quote is at the place; ends it with a NUL byte in its place. */
static bool read_text(struct reader *reader, char **text) {
    char *out;
    if (*reader->at != '"') return fail(reader, "a text is missing");
    reader->at++;
    *text = reader->at;
    /* Nearly every text is plain, and stays where it is. */
    while (is_plain(*reader->at)) reader->at++;
    out = reader->at;
    for (;;) {
        unsigned char c = (unsigned char)*reader->at;
        if (c == '"') break;
        if (c < 0x20) return fail(reader, "a text has a control character, or no end");
        if (c == '\\') {
            reader->at++;
            if (!escape(reader, &out)) return false;
        } else if (c < 0x80) {
            *out++ = *reader->at++;
        } else {
            size_t length = utf8_sequence(reader->at);
            if (!length) return fail(reader, "a text is not UTF-8");
            while (length-- > 0) *out++ = *reader->at++;
        }
    }
    reader->at++;
    *out = 0;
    return true;
}

struct number {
    double value;
    int64_t integer;
    bool is_integer; /* and fits */
};

/* The powers of ten that a double holds exactly. */
static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads a number, correctly rounded. If its digits are an integer that a double holds and its exponent is small, one division
   or multiplication of exact numbers is that; else strtod. */
static bool read_number(struct reader *reader, struct number *number) {
    const char *start = reader->at, *at = start, *digits;
    bool negative = *at == '-', is_integer = true, fits = true;
    uint64_t mantissa = 0;
    int exponent = 0;
    if (negative) at++;
    if (!is_digit(*at)) return fail(reader, "a number is missing or not valid");
    if (*at == '0' && is_digit(at[1])) return fail(reader, "a number is not valid");
    for (; is_digit(*at); at++) {
        if (mantissa > (UINT64_MAX - 9) / 10) fits = false;
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    }
    if (*at == '.') {
        is_integer = false;
        digits = ++at;
        for (; is_digit(*at); at++) {
            if (mantissa > (UINT64_MAX - 9) / 10) fits = false;
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
        }
        if (at == digits) return fail(reader, "a number is not valid");
        if (at - digits > 30) fits = false;
        exponent = fits ? -(int)(at - digits) : 0;
    }
    if (*at == 'e' || *at == 'E') {
        bool down = false;
        int value = 0;
        is_integer = false;
        at++;
        if (*at == '+' || *at == '-') down = *at++ == '-';
        if (!is_digit(*at)) return fail(reader, "a number is not valid");
        for (; is_digit(*at); at++)
            if (value < 10000) value = value * 10 + (*at - '0');
        exponent += down ? -value : value;
    }
    reader->at += at - start;
    number->is_integer = is_integer && fits && mantissa <= (uint64_t)INT64_MAX + (negative ? 1 : 0);
    number->integer = 0;
    if (number->is_integer) {
        if (!negative)
            number->integer = (int64_t)mantissa;
        else
            number->integer = mantissa > (uint64_t)INT64_MAX ? INT64_MIN : -(int64_t)mantissa;
    }
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
    if (fits && mantissa <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        double value = (double)mantissa;
        value = exponent < 0 ? value / powers_of_ten[-exponent] : value * powers_of_ten[exponent];
        number->value = negative ? -value : value;
        return true;
    }
#endif
    number->value = strtod_l(start, NULL, reader->locale);
    return isfinite(number->value) || fail(reader, "a number is beyond the range of a double");
}

/* Notes a key that no table has; the same key twice in one object, whose first key has this place, is an error. */
static bool note_unknown(struct reader *reader, unsigned first, const char *key) {
    unsigned i;
    for (i = first; i < reader->unknown_count; i++)
        if (strcmp(reader->unknown[i], key) == 0) return fail(reader, "a key is there twice");
    if (reader->unknown_count == UNKNOWN_KEYS) return fail(reader, "its reply has too many keys");
    reader->unknown[reader->unknown_count++] = key;
    return true;
}

/* Reads a key and its colon. */
static bool read_key(struct reader *reader, char **key) {
    skip_space(reader);
    if (++reader->keys > KEYS) return fail(reader, "its reply has too many keys");
    return read_text(reader, key) && expect(reader, ':');
}

/* Passes a value that is of no interest; it has to be valid nevertheless. */
static bool skip_value(struct reader *reader) {
    char *text = NULL;
    struct number number;
    unsigned first = reader->unknown_count;
    skip_space(reader);
    switch (*reader->at) {
    case '{':
        reader->at++;
        if (!enter(reader)) return false;
        if (!take(reader, '}')) {
            do {
                if (!read_key(reader, &text) || !note_unknown(reader, first, text) || !skip_value(reader)) return false;
            } while (take(reader, ','));
            if (!expect(reader, '}')) return false;
        }
        reader->unknown_count = first;
        reader->depth--;
        return true;
    case '[':
        reader->at++;
        if (!enter(reader)) return false;
        if (!take(reader, ']')) {
            do {
                if (!skip_value(reader)) return false;
            } while (take(reader, ','));
            if (!expect(reader, ']')) return false;
        }
        reader->depth--;
        return true;
    case '"': return read_text(reader, &text);
    case 't': return literal(reader, "true");
    case 'f': return literal(reader, "false");
    case 'n': return literal(reader, "null");
    default: return read_number(reader, &number);
    }
}

/* ================================================================ Forms: objects and lists by tables */

enum form { TEXT, INTEGER, NUMBER, BOOLEAN, OTHER };

/* A field of an object, and its place in a structure. */
struct field {
    const char *name;
    size_t length; /* of the name */
    enum form form;
    bool required;
    size_t offset;
    bool (*read)(struct reader *, void *); /* of another form */
};

#define NAME(text) text, sizeof(text) - 1

static bool read_field(struct reader *reader, const struct field *field, void *base) {
    void *place = (char *)base + field->offset;
    struct number number;
    char *text;
    skip_space(reader);
    if (*reader->at == 'n' && !field->required && field->form != BOOLEAN) return literal(reader, "null");
    switch (field->form) {
    case TEXT:
        if (!read_text(reader, &text)) return false;
        *(const char **)place = text;
        return true;
    case INTEGER:
        if (!read_number(reader, &number)) return false;
        if (!number.is_integer) return fail(reader, "a number is no integer of 64 bits");
        *(int64_t *)place = number.integer;
        return true;
    case NUMBER:
        if (!read_number(reader, &number)) return false;
        *(double *)place = number.value;
        return true;
    case BOOLEAN:
        if (*reader->at == 't') {
            *(bool *)place = true;
            return literal(reader, "true");
        }
        *(bool *)place = false;
        return literal(reader, "false");
    case OTHER: break;
    }
    return field->read(reader, place);
}

/* Passes a field's key and colon, if they come next, and as the broker writes them. */
static bool is_next(struct reader *reader, const struct field *field) {
    const char *at = reader->at;
    if (at[0] != '"' || at[1] != field->name[0] || strncmp(at + 1, field->name, field->length) != 0 || at[field->length + 1] != '"'
        || at[field->length + 2] != ':')
        return false;
    reader->at += field->length + 3;
    return true;
}

/* Reads an object into a structure. The broker writes fields in the order of the tables, so that the next one is mostly the first
   that is looked at. */
static bool read_object(struct reader *reader, const struct field *fields, size_t count, void *base) {
    uint64_t seen = 0;
    size_t next = 0, i;
    unsigned first = reader->unknown_count;
    char *key;
    if (!expect(reader, '{') || !enter(reader)) return false;
    if (!take(reader, '}')) {
        do {
            skip_space(reader);
            for (i = 0; i < count && !is_next(reader, &fields[next]); i++) next = next + 1 < count ? next + 1 : 0;
            if (i == count) {
                if (!read_key(reader, &key)) return false;
                for (i = 0; i < count; i++, next = next + 1 < count ? next + 1 : 0) {
                    if (fields[next].name[0] == key[0] && strcmp(fields[next].name, key) == 0) break;
                }
                if (i == count) {
                    if (!note_unknown(reader, first, key) || !skip_value(reader)) return false;
                    continue;
                }
            }
            if (seen >> next & 1) return fail(reader, "a key is there twice");
            seen |= (uint64_t)1 << next;
            if (!read_field(reader, &fields[next], base)) {
                if (!reader->field) reader->field = fields[next].name;
                return false;
            }
            next = next + 1 < count ? next + 1 : 0;
        } while (take(reader, ','));
        if (!expect(reader, '}')) return false;
    }
    for (i = 0; i < count; i++) {
        if (fields[i].required && !(seen >> i & 1)) {
            reader->field = fields[i].name;
            return fail(reader, "a field is missing");
        }
    }
    reader->unknown_count = first;
    reader->depth--;
    return true;
}

/* An array that grows in the memory of a message. */
struct list {
    void *items;
    size_t count, room;
};

static void *list_add(struct reader *reader, struct list *list, size_t size) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 4;
        void *items = arena_extend(reader->arena, list->items, list->room * size, room * size);
        if (!items) {
            (void)fail(reader, no_memory);
            return NULL;
        }
        list->items = items;
        list->room = room;
    }
    return (char *)list->items + size * list->count++;
}

static bool read_list(struct reader *reader, struct list *list, size_t size, bool (*read)(struct reader *, void *)) {
    if (!expect(reader, '[') || !enter(reader)) return false;
    if (!take(reader, ']')) {
        do {
            void *item = list_add(reader, list, size);
            /* Reading an item may move nothing of the list: only list_add does. */
            if (!item || !read(reader, item)) return false;
        } while (take(reader, ','));
        if (!expect(reader, ']')) return false;
    }
    reader->depth--;
    return true;
}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ================================================================ The interface: locations */

#define FIELD(name, form, required, member) {NAME(name), form, required, offsetof(struct sb_satellite, member), NULL}
static const struct field satellite_fields[] = {
    FIELD("prn", INTEGER, true, prn),
    FIELD("system", TEXT, false, system),
    FIELD("systemNumber", INTEGER, false, system_number),
    FIELD("elevationDegrees", NUMBER, false, elevation_degrees),
    FIELD("azimuthDegrees", NUMBER, false, azimuth_degrees),
    FIELD("signalDecibelHertz", NUMBER, false, signal_decibel_hertz),
    FIELD("used", BOOLEAN, true, used),
};
#undef FIELD

static bool read_satellite(struct reader *reader, void *into) {
    struct sb_satellite *satellite = (struct sb_satellite *)into;
    memset(satellite, 0, sizeof *satellite);
    satellite->system_number = SB_UNKNOWN;
    satellite->elevation_degrees = satellite->azimuth_degrees = satellite->signal_decibel_hertz = NAN;
    return read_object(reader, satellite_fields, COUNT_OF(satellite_fields), satellite);
}

/* A location as it is read: what is not a plain field is put into the location afterwards. */
struct location_form {
    struct sb_location location;
    const char *fix;
    struct list satellites;
};

static bool read_satellites(struct reader *reader, void *into) {
    return read_list(reader, (struct list *)into, sizeof(struct sb_satellite), read_satellite);
}

#define NUMBERED(name, member) {NAME(name), NUMBER, false, offsetof(struct location_form, location.member), NULL}
#define COUNTED(name, member) {NAME(name), INTEGER, false, offsetof(struct location_form, location.member), NULL}
static const struct field location_fields[] = {
    {NAME("fix"), TEXT, true, offsetof(struct location_form, fix), NULL},
    COUNTED("utcMicroseconds", utc_microseconds),
    NUMBERED("latitudeDegrees", latitude_degrees),
    NUMBERED("longitudeDegrees", longitude_degrees),
    NUMBERED("altitudeMeters", altitude_meters),
    NUMBERED("ellipsoidHeightMeters", ellipsoid_height_meters),
    NUMBERED("horizontalErrorMeters", horizontal_error_meters),
    NUMBERED("verticalErrorMeters", vertical_error_meters),
    NUMBERED("speedMetersPerSecond", speed_meters_per_second),
    NUMBERED("trackDegrees", track_degrees),
    NUMBERED("climbMetersPerSecond", climb_meters_per_second),
    NUMBERED("speedErrorMetersPerSecond", speed_error_meters_per_second),
    NUMBERED("trackErrorDegrees", track_error_degrees),
    NUMBERED("climbErrorMetersPerSecond", climb_error_meters_per_second),
    NUMBERED("geoidSeparationMeters", geoid_separation_meters),
    NUMBERED("horizontalDilution", horizontal_dilution),
    NUMBERED("verticalDilution", vertical_dilution),
    NUMBERED("positionDilution", position_dilution),
    NUMBERED("velocityNorthMetersPerSecond", velocity_north_meters_per_second),
    NUMBERED("velocityEastMetersPerSecond", velocity_east_meters_per_second),
    NUMBERED("velocityDownMetersPerSecond", velocity_down_meters_per_second),
    NUMBERED("ecefVelocityXMetersPerSecond", ecef_velocity_x_meters_per_second),
    NUMBERED("ecefVelocityYMetersPerSecond", ecef_velocity_y_meters_per_second),
    NUMBERED("ecefVelocityZMetersPerSecond", ecef_velocity_z_meters_per_second),
    NUMBERED("timeErrorSeconds", time_error_seconds),
    COUNTED("leapSeconds", leap_seconds),
    COUNTED("satellitesUsed", satellites_used),
    COUNTED("satellitesVisible", satellites_visible),
    {NAME("status"), TEXT, false, offsetof(struct location_form, location.status), NULL},
    NUMBERED("correctionAgeSeconds", correction_age_seconds),
    COUNTED("correctionStation", correction_station),
    NUMBERED("headingDegrees", heading_degrees),
    NUMBERED("pitchDegrees", pitch_degrees),
    NUMBERED("rollDegrees", roll_degrees),
    NUMBERED("baselineNorthMeters", baseline_north_meters),
    NUMBERED("baselineEastMeters", baseline_east_meters),
    NUMBERED("baselineDownMeters", baseline_down_meters),
    NUMBERED("baselineLengthMeters", baseline_length_meters),
    NUMBERED("baselineHeadingDegrees", baseline_heading_degrees),
    {NAME("satellites"), OTHER, false, offsetof(struct location_form, satellites), read_satellites},
};
#undef NUMBERED
#undef COUNTED

void sb_location_clear(struct sb_location *location) {
    size_t i;
    /* It is the first member of the form whose table this is. */
    memset(location, 0, sizeof *location);
    for (i = 0; i < COUNT_OF(location_fields); i++) {
        void *place = (char *)location + location_fields[i].offset;
        if (location_fields[i].form == NUMBER) *(double *)place = NAN;
        if (location_fields[i].form == INTEGER) *(int64_t *)place = SB_UNKNOWN;
    }
}

static bool read_location(struct reader *reader, void *into) {
    struct location_form form;
    struct sb_location *location;
    memset(&form, 0, sizeof form);
    sb_location_clear(&form.location);
    if (!read_object(reader, location_fields, COUNT_OF(location_fields), &form)) return false;
    form.location.fix = strcmp(form.fix, "3d") == 0 ? SB_FIX_3D : strcmp(form.fix, "2d") == 0 ? SB_FIX_2D : SB_FIX_NONE;
    form.location.satellites = (const struct sb_satellite *)form.satellites.items;
    form.location.satellite_count = form.satellites.count;
    location = (struct sb_location *)arena_take(reader->arena, sizeof *location);
    if (!location) return fail(reader, no_memory);
    *location = form.location;
    *(const struct sb_location **)into = location;
    return true;
}

/* ================================================================ The interface: columns of numbers */

/* Reads a list of numbers; in aligned columns null is an unknown one. */
static bool read_numbers(struct reader *reader, struct list *list, bool with_unknown) {
    struct number number;
    if (!expect(reader, '[') || !enter(reader)) return false;
    if (!take(reader, ']')) {
        do {
            double *place;
            skip_space(reader);
            if (with_unknown && *reader->at == 'n') {
                if (!literal(reader, "null")) return false;
                number.value = NAN;
            } else if (!read_number(reader, &number)) {
                return false;
            }
            if (list->count < list->room) {
                ((double *)list->items)[list->count++] = number.value;
                continue;
            }
            place = (double *)list_add(reader, list, sizeof *place);
            if (!place) return false;
            *place = number.value;
        } while (take(reader, ','));
        if (!expect(reader, ']')) return false;
    }
    reader->depth--;
    return true;
}

/* Reads a map of columns; each has its own count, which is compared afterwards. */
static bool read_map(struct reader *reader, struct list *columns, bool (*read)(struct reader *, struct sb_column *)) {
    unsigned first = reader->unknown_count;
    char *key;
    if (!expect(reader, '{') || !enter(reader)) return false;
    if (!take(reader, '}')) {
        do {
            struct sb_column column;
            struct sb_column *place;
            memset(&column, 0, sizeof column);
            if (!read_key(reader, &key) || !note_unknown(reader, first, key)) return false;
            column.name = key;
            column.unit = "";
            if (!read(reader, &column)) return false;
            place = (struct sb_column *)list_add(reader, columns, sizeof *place);
            if (!place) return false;
            *place = column;
        } while (take(reader, ','));
        if (!expect(reader, '}')) return false;
    }
    reader->unknown_count = first;
    reader->depth--;
    return true;
}

static bool read_plain_column(struct reader *reader, struct sb_column *column) {
    struct list list = {NULL, 0, 0};
    if (!read_numbers(reader, &list, false)) return false;
    column->doubles = (const double *)list.items;
    column->count = list.count;
    return true;
}

static bool read_aligned_column(struct reader *reader, struct sb_column *column) {
    struct list list = {NULL, 0, 0};
    if (!read_numbers(reader, &list, true)) return false;
    column->doubles = (const double *)list.items;
    column->count = list.count;
    return true;
}

/* The value of a digit of base64; 64: it is none. */
static const unsigned char base64_values[256] = {
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 62, 64, 64, 64, 63, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 64, 64, 64, 64, 64, 64,
    64, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 64, 64, 64, 64, 64,
    64, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
};

/* Decodes base64 of 32-bit words where it stands, from the next address that is a multiple of 4; false if it is not what the
   broker writes. A group of four digits is read before the three bytes of the one before it are written, so that three bytes of
   displacement do not overtake the reading. */
static bool decode_words(char *text, size_t length, unsigned char **words, size_t *count) {
    const unsigned char *in = (const unsigned char *)text;
    unsigned char *out = (unsigned char *)text + (-(uintptr_t)text & 3);
    size_t groups = length / 4, padding = 0, bytes, i;
    uint32_t group, next, wrong = 0;
    unsigned char tail[4] = {'A', 'A', 'A', 'A'};
    *words = out;
    *count = 0;
    if (length % 4) return false;
    if (!length) return true;
    while (padding < 2 && in[length - 1 - padding] == '=') padding++;
    bytes = groups * 3 - padding;
    if (bytes % 4) return false;
    memcpy(tail, in + length - 4, 4 - padding);
#define DIGITS(place) \
    ((uint32_t)base64_values[(place)[0]] << 18 | (uint32_t)base64_values[(place)[1]] << 12 \
     | (uint32_t)base64_values[(place)[2]] << 6 | (uint32_t)base64_values[(place)[3]])
/* A value of 64 shows as a bit beyond its six, and may be hidden by the one before: so each is looked at. */
#define WRONG(place) \
    ((uint32_t)(base64_values[(place)[0]] | base64_values[(place)[1]] | base64_values[(place)[2]] | base64_values[(place)[3]]))
    /* Whole words have two groups at least. */
    group = DIGITS(in);
    wrong |= WRONG(in);
    for (i = 1; i < groups; i++) {
        const unsigned char *place = i + 1 < groups ? in + 4 * i : tail;
        next = DIGITS(place);
        wrong |= WRONG(place);
        *out++ = (unsigned char)(group >> 16);
        *out++ = (unsigned char)(group >> 8);
        *out++ = (unsigned char)group;
        group = next;
    }
#undef DIGITS
#undef WRONG
    if (wrong & 64) return false;
    if (padding == 1 && (group & 0xFF)) return false;
    if (padding == 2 && (group & 0xFFFF)) return false;
    *out++ = (unsigned char)(group >> 16);
    if (padding < 2) *out++ = (unsigned char)(group >> 8);
    if (padding < 1) *out++ = (unsigned char)group;
    *count = bytes / 4;
    return true;
}

static uint32_t little_endian(const unsigned char *b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Reads a text as base64 of words. Quotes and backslashes are looked for first, which is far quicker than to look at each byte. */
static bool read_words(struct reader *reader, unsigned char **words, size_t *count) {
    char *text, *end;
    skip_space(reader);
    if (*reader->at != '"') return fail(reader, "a text is missing");
    text = reader->at + 1;
    end = strchr(text, '"');
    if (end && !memchr(text, '\\', (size_t)(end - text))) {
        reader->at = end + 1;
    } else {
        if (!read_text(reader, &text)) return false;
        end = text + strlen(text);
    }
    return decode_words(text, (size_t)(end - text), words, count) || fail(reader, "a text is not base64 of whole numbers");
}

static bool read_packed_column(struct reader *reader, struct sb_column *column) {
    unsigned char *words;
    float *floats;
    size_t count, i;
    uint32_t infinite = 0;
    if (!read_words(reader, &words, &count)) return false;
    floats = (float *)(void *)words;
    for (i = 0; i < count; i++) {
        uint32_t bits = little_endian(words + 4 * i);
        float value;
        infinite |= (uint32_t)((bits & 0x7F800000) == 0x7F800000);
        memcpy(&value, &bits, sizeof value);
        floats[i] = value;
    }
    if (infinite) return fail(reader, "a number is not finite");
    column->floats = floats;
    column->count = count;
    return true;
}

/* The numbers of a numeric kind, and when each row was measured. */
struct values_form {
    struct list columns;
    struct list packed;
    int64_t period;
    struct list stamps;
    const unsigned char *steps;
    size_t step_count;
    bool is_there, has_columns, has_packed, has_stamps, has_steps;
};

static bool read_columns(struct reader *reader, void *into) {
    struct values_form *form = (struct values_form *)into;
    form->has_columns = true;
    return read_map(reader, &form->columns, read_plain_column);
}

static bool read_packed(struct reader *reader, void *into) {
    struct values_form *form = (struct values_form *)into;
    form->has_packed = true;
    return read_map(reader, &form->packed, read_packed_column);
}

static bool read_stamp(struct reader *reader, void *into) {
    struct number number;
    skip_space(reader);
    if (!read_number(reader, &number)) return false;
    if (!number.is_integer) return fail(reader, "a number is no integer of 64 bits");
    *(int64_t *)into = number.integer;
    return true;
}

static bool read_stamps(struct reader *reader, void *into) {
    struct values_form *form = (struct values_form *)into;
    form->has_stamps = true;
    return read_list(reader, &form->stamps, sizeof(int64_t), read_stamp);
}

static bool read_steps(struct reader *reader, void *into) {
    struct values_form *form = (struct values_form *)into;
    unsigned char *words;
    form->has_steps = true;
    if (!read_words(reader, &words, &form->step_count)) return false;
    form->steps = words;
    return true;
}

static bool read_values(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("columns"), OTHER, false, 0, read_columns},
        {NAME("packed"), OTHER, false, 0, read_packed},
        {NAME("periodNanoseconds"), INTEGER, false, offsetof(struct values_form, period), NULL},
        {NAME("timestampsNanoseconds"), OTHER, false, 0, read_stamps},
        {NAME("packedStepsNanoseconds"), OTHER, false, 0, read_steps},
    };
    struct values_form *form = (struct values_form *)into;
    form->is_there = true;
    return read_object(reader, fields, COUNT_OF(fields), form);
}

/* ================================================================ The interface: readings */

static bool read_aligned(struct reader *reader, void *into);

static bool read_aligned_list(struct reader *reader, void *into) {
    return read_list(reader, (struct list *)into, sizeof(struct sb_aligned), read_aligned);
}

struct aligned_form {
    struct sb_aligned aligned;
    struct list columns;
};

static bool read_aligned_columns(struct reader *reader, void *into) {
    return read_map(reader, (struct list *)into, read_aligned_column);
}

static bool read_aligned(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("resource"), TEXT, true, offsetof(struct aligned_form, aligned.resource), NULL},
        {NAME("label"), TEXT, false, offsetof(struct aligned_form, aligned.label), NULL},
        {NAME("alignment"), TEXT, true, offsetof(struct aligned_form, aligned.alignment), NULL},
        {NAME("columns"), OTHER, false, offsetof(struct aligned_form, columns), read_aligned_columns},
    };
    struct aligned_form form;
    memset(&form, 0, sizeof form);
    if (!read_object(reader, fields, COUNT_OF(fields), &form)) return false;
    form.aligned.columns = (const struct sb_column *)form.columns.items;
    form.aligned.column_count = form.columns.count;
    *(struct sb_aligned *)into = form.aligned;
    return true;
}

struct reading_form {
    struct sb_reading reading;
    struct values_form values;
    struct list aligned;
};

/* The times of the rows: given, or by the steps from row to row, or by one period. */
static bool settle_times(struct reader *reader, struct sb_reading *reading, const struct values_form *values) {
    if (values->has_stamps) {
        if (values->stamps.count != reading->count) return fail(reader, "there are more or fewer times than values");
        reading->timestamps_ns = (const int64_t *)values->stamps.items;
    } else if (values->has_steps) {
        int64_t *stamps;
        size_t i;
        if (values->step_count != reading->count - 1) return fail(reader, "there are more or fewer times than values");
        stamps = (int64_t *)arena_take(reader->arena, reading->count * sizeof *stamps);
        if (!stamps) return fail(reader, no_memory);
        stamps[0] = reading->timestamp_ns;
        for (i = 1; i < reading->count; i++) {
            int64_t step = (int64_t)little_endian(values->steps + 4 * (i - 1));
            if (stamps[i - 1] > INT64_MAX - step) return fail(reader, "a time is beyond 64 bits");
            stamps[i] = stamps[i - 1] + step;
        }
        reading->timestamps_ns = stamps;
    } else {
        int64_t span = times((int64_t)reading->count - 1, values->period);
        if (values->period < 0 || (reading->timestamp_ns > 0 && span > INT64_MAX - reading->timestamp_ns))
            return fail(reader, "a time is beyond 64 bits");
        reading->period_ns = values->period;
    }
    return true;
}

static bool settle_columns(struct reader *reader, struct sb_reading *reading, const struct values_form *values) {
    const struct list *list = values->has_packed ? &values->packed : &values->columns;
    struct sb_column *columns = (struct sb_column *)list->items;
    size_t i;
    if (!values->has_packed && !values->has_columns) return fail(reader, "a field is missing");
    reading->columns = columns;
    reading->column_count = list->count;
    if (!list->count || !columns[0].count) return fail(reader, "a reading has no values");
    reading->count = columns[0].count;
    for (i = 1; i < list->count; i++)
        if (columns[i].count != reading->count) return fail(reader, "the columns are not equally long");
    return settle_times(reader, reading, values);
}

static bool read_reading(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("resource"), TEXT, true, offsetof(struct reading_form, reading.resource), NULL},
        {NAME("label"), TEXT, false, offsetof(struct reading_form, reading.label), NULL},
        {NAME("sequence"), INTEGER, true, offsetof(struct reading_form, reading.sequence), NULL},
        {NAME("timestampNanoseconds"), INTEGER, true, offsetof(struct reading_form, reading.timestamp_ns), NULL},
        {NAME("location"), OTHER, false, offsetof(struct reading_form, reading.location), read_location},
        {NAME("values"), OTHER, false, offsetof(struct reading_form, values), read_values},
        {NAME("orientation"), TEXT, false, offsetof(struct reading_form, reading.orientation), NULL},
        {NAME("aligned"), OTHER, false, offsetof(struct reading_form, aligned), read_aligned_list},
    };
    struct reading_form form;
    size_t i, k;
    memset(&form, 0, sizeof form);
    form.reading.count = 1;
    if (!read_object(reader, fields, COUNT_OF(fields), &form)) return false;
    if (form.values.is_there && !settle_columns(reader, &form.reading, &form.values)) {
        if (!reader->field) reader->field = "values";
        return false;
    }
    form.reading.aligned = (const struct sb_aligned *)form.aligned.items;
    form.reading.aligned_count = form.aligned.count;
    for (i = 0; i < form.reading.aligned_count; i++) {
        const struct sb_aligned *aligned = &form.reading.aligned[i];
        for (k = 0; k < aligned->column_count; k++)
            if (aligned->columns[k].count != form.reading.count) return fail(reader, "the columns are not equally long");
    }
    *(struct sb_reading *)into = form.reading;
    return true;
}

/* ================================================================ The interface: resources, grants, gaps, replies */

struct resource_form {
    struct sb_resource resource;
    const char *reporting;
    struct list channels;
};

static bool read_channel(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("name"), TEXT, true, offsetof(struct sb_channel, name), NULL},
        {NAME("unit"), TEXT, true, offsetof(struct sb_channel, unit), NULL},
    };
    memset(into, 0, sizeof(struct sb_channel));
    return read_object(reader, fields, COUNT_OF(fields), into);
}

static bool read_channels(struct reader *reader, void *into) {
    return read_list(reader, (struct list *)into, sizeof(struct sb_channel), read_channel);
}

static enum sb_state state_named(const char *name) {
    static const char *const names[] = {"", "idle", "warm", "starting", "active", "stale", "unavailable", "released"};
    size_t i;
    for (i = 1; i < COUNT_OF(names); i++)
        if (strcmp(names[i], name) == 0) return (enum sb_state)i;
    return SB_STATE_OTHER;
}

static enum sb_reporting reporting_named(const char *name) {
    if (name && strcmp(name, "continuous") == 0) return SB_REPORTING_CONTINUOUS;
    return name && strcmp(name, "onChange") == 0 ? SB_REPORTING_ON_CHANGE : SB_REPORTING_OTHER;
}

static bool read_resource(struct reader *reader, void *into) {
#define FIELD(name, form, required, member) {NAME(name), form, required, offsetof(struct resource_form, resource.member), NULL}
    static const struct field fields[] = {
        FIELD("name", TEXT, true, name),
        FIELD("kind", TEXT, true, kind),
        {NAME("reporting"), TEXT, false, offsetof(struct resource_form, reporting), NULL},
        {NAME("channels"), OTHER, false, offsetof(struct resource_form, channels), read_channels},
        FIELD("state", TEXT, true, state_name),
        FIELD("reason", TEXT, false, reason),
        FIELD("simulated", BOOLEAN, true, simulated),
        FIELD("minimumIntervalNanoseconds", INTEGER, true, minimum_interval_ns),
        FIELD("maximumIntervalNanoseconds", INTEGER, true, maximum_interval_ns),
        FIELD("defaultIntervalNanoseconds", INTEGER, true, default_interval_ns),
        FIELD("deviceIntervalNanoseconds", INTEGER, false, device_interval_ns),
        FIELD("description", TEXT, false, description),
    };
#undef FIELD
    struct resource_form form;
    memset(&form, 0, sizeof form);
    form.resource.device_interval_ns = SB_UNKNOWN;
    if (!read_object(reader, fields, COUNT_OF(fields), &form)) return false;
    form.resource.channels = (const struct sb_channel *)form.channels.items;
    form.resource.channel_count = form.channels.count;
    form.resource.state = state_named(form.resource.state_name);
    form.resource.reporting = reporting_named(form.reporting);
    *(struct sb_resource *)into = form.resource;
    return true;
}

static bool read_grant(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("resource"), TEXT, true, offsetof(struct sb_grant, resource), NULL},
        {NAME("label"), TEXT, false, offsetof(struct sb_grant, label), NULL},
        {NAME("intervalNanoseconds"), INTEGER, true, offsetof(struct sb_grant, interval_ns), NULL},
        {NAME("batchNanoseconds"), INTEGER, true, offsetof(struct sb_grant, batch_ns), NULL},
        {NAME("deviceIntervalNanoseconds"), INTEGER, false, offsetof(struct sb_grant, device_interval_ns), NULL},
    };
    struct sb_grant *grant = (struct sb_grant *)into;
    memset(grant, 0, sizeof *grant);
    grant->device_interval_ns = SB_UNKNOWN;
    if (!read_object(reader, fields, COUNT_OF(fields), grant)) return false;
    if (grant->interval_ns < 0 || grant->batch_ns < 0) return fail(reader, "a time is not possible");
    if (grant->interval_ns == 0) grant->interval_ns = SB_EVERY_SAMPLE;
    return true;
}

static bool read_gap(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("resource"), TEXT, true, offsetof(struct sb_gap, resource), NULL},
        {NAME("label"), TEXT, false, offsetof(struct sb_gap, label), NULL},
        {NAME("cause"), TEXT, true, offsetof(struct sb_gap, cause), NULL},
        {NAME("count"), INTEGER, false, offsetof(struct sb_gap, count), NULL},
        {NAME("fromNanoseconds"), INTEGER, true, offsetof(struct sb_gap, from_ns), NULL},
        {NAME("untilNanoseconds"), INTEGER, true, offsetof(struct sb_gap, until_ns), NULL},
    };
    struct sb_gap *gap = (struct sb_gap *)into;
    memset(gap, 0, sizeof *gap);
    gap->count = SB_UNKNOWN;
    return read_object(reader, fields, COUNT_OF(fields), gap);
}

/* A reply to any call: the fields of all methods and of all errors, each of which has one form wherever it occurs. */
struct reply {
    const char *error;
    bool continues;
    const char *subscription;
    int64_t revision;
    struct list grants, resources, readings, gaps;
    const char *ended;
    struct sb_reading reading;
    bool has_reading, has_resources;
    /* Of errors */
    const char *resource, *reason, *parameter;
    int64_t limit;
};

static bool read_grants(struct reader *reader, void *into) {
    return read_list(reader, (struct list *)into, sizeof(struct sb_grant), read_grant);
}

static bool read_resources(struct reader *reader, void *into) {
    struct reply *reply = (struct reply *)into;
    reply->has_resources = true;
    return read_list(reader, &reply->resources, sizeof(struct sb_resource), read_resource);
}

static bool read_readings(struct reader *reader, void *into) {
    return read_list(reader, (struct list *)into, sizeof(struct sb_reading), read_reading);
}

static bool read_gaps(struct reader *reader, void *into) {
    return read_list(reader, (struct list *)into, sizeof(struct sb_gap), read_gap);
}

static bool read_one_reading(struct reader *reader, void *into) {
    struct reply *reply = (struct reply *)into;
    reply->has_reading = true;
    return read_reading(reader, &reply->reading);
}

static bool read_parameters(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("subscription"), TEXT, false, offsetof(struct reply, subscription), NULL},
        {NAME("revision"), INTEGER, false, offsetof(struct reply, revision), NULL},
        {NAME("grants"), OTHER, false, offsetof(struct reply, grants), read_grants},
        {NAME("resources"), OTHER, false, 0, read_resources},
        {NAME("readings"), OTHER, false, offsetof(struct reply, readings), read_readings},
        {NAME("gaps"), OTHER, false, offsetof(struct reply, gaps), read_gaps},
        {NAME("ended"), TEXT, false, offsetof(struct reply, ended), NULL},
        {NAME("reading"), OTHER, false, 0, read_one_reading},
        {NAME("resource"), TEXT, false, offsetof(struct reply, resource), NULL},
        {NAME("reason"), TEXT, false, offsetof(struct reply, reason), NULL},
        {NAME("parameter"), TEXT, false, offsetof(struct reply, parameter), NULL},
        {NAME("limit"), INTEGER, false, offsetof(struct reply, limit), NULL},
    };
    return read_object(reader, fields, COUNT_OF(fields), into);
}

/* Reads a message as a reply; it has a NUL byte at its end, and is written into. */
static bool read_reply(struct reader *reader, struct reply *reply) {
    static const struct field fields[] = {
        {NAME("error"), TEXT, false, offsetof(struct reply, error), NULL},
        {NAME("parameters"), OTHER, false, 0, read_parameters},
        {NAME("continues"), BOOLEAN, false, offsetof(struct reply, continues), NULL},
    };
    memset(reply, 0, sizeof *reply);
    reply->revision = reply->limit = SB_UNKNOWN;
    if (!read_object(reader, fields, COUNT_OF(fields), reply)) return false;
    skip_space(reader);
    if (*reader->at) return fail(reader, "something follows its reply");
    if (reply->error && reply->continues) return fail(reader, "its reply is an error and continues");
    return true;
}

/* ================================================================ Calls as text */

struct text {
    char *bytes;
    size_t length, room;
    bool failed; /* no memory */
};

static void text_add(struct text *text, const char *bytes, size_t count) {
    if (text->failed) return;
    if (text->length + count + 1 > text->room) {
        size_t room = text->room ? text->room : 512;
        char *larger;
        while (room < text->length + count + 1) room *= 2;
        larger = (char *)realloc(text->bytes, room);
        if (!larger) {
            text->failed = true;
            return;
        }
        text->bytes = larger;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = 0;
}

static void text_plain(struct text *text, const char *words) { text_add(text, words, strlen(words)); }

static void text_quoted(struct text *text, const char *words) {
    text_plain(text, "\"");
    for (; *words; words++) {
        char code[8];
        if (*words == '"' || *words == '\\') {
            text_plain(text, "\\");
            text_add(text, words, 1);
        } else if ((unsigned char)*words < 0x20) {
            (void)snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)*words);
            text_plain(text, code);
        } else {
            text_add(text, words, 1);
        }
    }
    text_plain(text, "\"");
}

static void text_integer(struct text *text, int64_t value) {
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%lld", (long long)value);
    text_plain(text, digits);
}

/* A number with a point, whatever the program's locale has. */
static void text_number(struct text *text, double value, locale_t locale) {
    char digits[40];
    locale_t former = uselocale(locale);
    (void)snprintf(digits, sizeof digits, "%.17g", value);
    (void)uselocale(former);
    text_plain(text, digits);
    if (!strpbrk(digits, ".e")) text_plain(text, ".0");
}

/* ================================================================ A connection: one call, and its replies */

struct wire {
    int fd; /* -1: closed */
    int epoll; /* which watches it; -1: none */
    pid_t owner; /* the process that has connected it */
    char *bytes;
    size_t room;
    size_t start, end; /* what has been received and not been read */
    size_t scanned;    /* there is no NUL byte before this */
    bool drained;      /* the last receive took everything that had come */
};

static const size_t first_room = 4096;

/*
 * Ends the connection for all who hold its socket: the copy of a child of fork() would keep the stream or the provision alive at
 * the broker. In that child itself it is the parent's, which goes on with it. The broker still reads what was sent.
 */
static void wire_hang_up(struct wire *wire) {
    if (wire->owner == getpid()) (void)shutdown(wire->fd, SHUT_RDWR);
    (void)close(wire->fd);
    wire->fd = -1;
}

static void wire_close(struct wire *wire) {
    /* A child of fork() may hold the socket open, and it would be reported for ever. */
    if (wire->fd >= 0 && wire->epoll >= 0) (void)epoll_ctl(wire->epoll, EPOLL_CTL_DEL, wire->fd, NULL);
    if (wire->fd >= 0) wire_hang_up(wire);
    wire->epoll = -1;
    wire->start = wire->end = wire->scanned = 0;
    wire->drained = false;
}

static void wire_free(struct wire *wire) {
    /* In a child of fork() the parent's epoll is to stay as it is. */
    wire->epoll = -1;
    wire_close(wire);
    free(wire->bytes);
    wire->bytes = NULL;
    wire->room = 0;
}

/* Connects, and sends a call with its NUL byte; 0 or an errno. Neither waits: a backlog that is full is EAGAIN. */
static int wire_open(struct wire *wire, const char *path, const struct text *call) {
    struct sockaddr_un address;
    size_t length = strlen(path);
    ssize_t sent;
    int code;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (length >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, length + 1);
    wire->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (wire->fd < 0) return errno;
    wire->owner = getpid();
    if (connect(wire->fd, (const struct sockaddr *)(const void *)&address, sizeof address) != 0) {
        code = errno;
        wire_close(wire);
        return code;
    }
    /* A call has at most some kilobytes, and the buffer of a new socket is larger. */
    do {
        sent = send(wire->fd, call->bytes, call->length + 1, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent == (ssize_t)call->length + 1) return 0;
    /* The broker may have closed the connection with an error, which is to be read. */
    if (sent < 0 && errno == EPIPE) return 0;
    code = sent < 0 ? errno : EAGAIN;
    wire_close(wire);
    return code;
}

/* The next whole message, without its NUL byte; 0: none yet, -1: it is too long. */
static int wire_message(struct wire *wire, char **message) {
    char *end;
    if (wire->scanned == wire->end) return 0;
    end = (char *)memchr(wire->bytes + wire->scanned, 0, wire->end - wire->scanned);
    if (!end) {
        wire->scanned = wire->end;
        return wire->end - wire->start > MESSAGE_BYTES ? -1 : 0;
    }
    *message = wire->bytes + wire->start;
    wire->start = wire->scanned = (size_t)(end - wire->bytes) + 1;
    return 1;
}

/* Receives what has come; 1: something, 0: nothing, -1: the connection has ended (or, with ENOMEM, cannot go on). */
static int wire_receive(struct wire *wire) {
    ssize_t count;
    if (wire->start == wire->end) {
        wire->start = wire->end = wire->scanned = 0;
        if (wire->room > KEPT_BYTES) {
            free(wire->bytes);
            wire->bytes = NULL;
            wire->room = 0;
        }
    } else if (wire->start > 0 && wire->room - wire->end < wire->room / 2) {
        memmove(wire->bytes, wire->bytes + wire->start, wire->end - wire->start);
        wire->end -= wire->start;
        wire->scanned -= wire->start;
        wire->start = 0;
    }
    if (wire->end == wire->room) {
        size_t room = wire->room ? 2 * wire->room : first_room;
        char *larger = (char *)realloc(wire->bytes, room);
        if (!larger) {
            errno = ENOMEM;
            return -1;
        }
        wire->bytes = larger;
        wire->room = room;
    }
    do {
        count = recv(wire->fd, wire->bytes + wire->end, wire->room - wire->end, MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    if (count > 0) {
        wire->end += (size_t)count;
        wire->drained = wire->end < wire->room;
        return 1;
    }
    wire->drained = true;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    if (count == 0) errno = 0;
    return -1;
}

/* ================================================================ The client, its requests, and what it knows */

/* A request as the program made it; the texts follow. */
struct wish {
    int uses;
    struct sb_request request;
};

/* When to repeat something that failed: the waits grow, and vary by a fifth, so that a thousand programs do not come at once. */
struct retry {
    int64_t at; /* NEVER: nothing to repeat */
    int64_t wait;
};

/* A request, what is known of it, and how long it has been silent. */
struct channel {
    struct channel *next;
    struct wish *wanted;  /* NULL: it has been removed */
    struct wish *asked;   /* in the call that is under way */
    struct wish *carried; /* what the broker has */
    bool is_removing;     /* the call under way removes it */
    bool is_asked;        /* the call under way has it */
    struct retry retry;   /* of a refused request */
    enum sb_error told;   /* the refusal that the program knows */
    bool granted;
    struct sb_grant grant; /* without its texts */
    int64_t covered;       /* until when readings were delivered or reported missing; SB_UNKNOWN: nothing was delivered */
    bool is_interrupted;   /* since the broker went away */
    bool after_gap;
    bool is_silent;
    int64_t silent_since, newest, spacing;
    void *user;
    char *name; /* behind the structure */
};

/* A resource whose state is known; channels and texts follow. */
struct known {
    struct known *next;
    struct sb_resource resource;
    uint64_t told_in; /* the message in which its state was told last */
};

struct node {
    struct node *next;
    struct channel *channel;
    struct sb_event event;
};

enum { CALL_STREAM = 1, CALL_CHANGE };

struct sb_client {
    char *path; /* NULL: the usual places */
    locale_t locale;
    int epoll, timer;
    int64_t timer_at; /* what the timer is set to */
    bool timer_is_due;  /* work out the next deadline */
    uint64_t random;

    struct channel *channels;
    struct channel *expected; /* where the search for the next request begins; NULL: at the first one */
    struct known *known;

    struct wire stream;
    char *subscription;
    int64_t received_at, doubted_until, answer_by;
    uint64_t messages;
    unsigned turns;
    bool has_more;     /* messages that were received and not heard */
    bool is_short;     /* there was no memory for an event of this message */
    bool has_removed;  /* there may be requests to be swept */
    bool is_changed;   /* the program has changed its requests since the last settle */
    bool is_unsettled; /* the broker may not have all requests as they are wanted */
    size_t portion; /* the most requests of the next call: after a refusal of many, the cause has to be found */
    struct retry stream_retry;
    struct wire change;
    int64_t change_by;

    bool is_up;
    struct retry link;   /* of all connections */
    bool is_told;        /* the program knows that there is no stream */
    struct sb_failure outage;
    char outage_text[512];

    struct arena arena; /* of the message, and of its events */
    struct node *first, *last;
    struct sb_event event; /* the one that the program has */

    struct wire call;
    struct arena call_arena;
    struct list call_resources;
    struct sb_reading call_reading;
    struct sb_failure failure;
    char failure_text[512];
};

int64_t sb_now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

/* How far the wall clock is ahead. What interrupts the program between two clocks makes that wrong: of some tries the quickest counts. */
static int64_t realtime_offset(void) {
    enum { TRIES = 5, QUICK_NS = 10000 };
    int64_t offset = 0, shortest = INT64_MAX;
    int i;
    for (i = 0; i < TRIES && shortest > QUICK_NS; i++) {
        struct timespec wall;
        int64_t before = sb_now_ns(), took;
        (void)clock_gettime(CLOCK_REALTIME, &wall);
        took = sb_now_ns() - before;
        if (took >= shortest) continue;
        shortest = took;
        offset = (int64_t)wall.tv_sec * SECOND + wall.tv_nsec - (before + took / 2);
    }
    return offset;
}

int64_t sb_realtime_ns(int64_t timestamp_ns) { return plus(timestamp_ns, realtime_offset()); }

const char *sb_version(void) { return SB_VERSION; }

const char *sb_error_name(enum sb_error error) {
    static const char *const names[] = {
        "ok",       "brokerMissing",        "brokerStopped",   "notPermitted",   "disconnected",   "ended",  "noSuchResource",
        "resourceUnavailable", "timedOut", "tooManySubscriptions", "tooManyRequests", "invalidRequest", "unintelligible", "system",
        "nameTaken", "noSuchKind", "brokerBusy",
    };
    return (size_t)error < COUNT_OF(names) ? names[error] : "unknown";
}

/* How a user may become one who may use a socket. */
static void explain_closed(char *line, size_t size, const char *path) {
    struct stat status;
    struct group entry, *group = NULL;
    char names[1024], number[16];
    if (stat(path, &status) < 0) {
        (void)snprintf(line, size, "this user may not use %s: its directory is closed to it; run the program as the user who owns "
            "that", path);
        return;
    }
    /* Nobody should become a member of root's group for this. */
    if (!(status.st_mode & S_IWGRP) || status.st_gid == 0) {
        (void)snprintf(line, size, "this user may not use %s: it is its owner's alone; run the program as that user", path);
        return;
    }
    (void)snprintf(number, sizeof number, "%lu", (unsigned long)status.st_gid);
    (void)getgrgid_r(status.st_gid, &entry, names, sizeof names, &group);
    (void)snprintf(line, size, "this user may not use %s: add it to the socket's group with 'sudo usermod -aG %s $USER' and log in "
        "again", path, group ? group->gr_name : number);
}

/* What happened and what to do next; the detail is a name or a reason, where there is one. */
static void explain(char *line, size_t size, enum sb_error error, const char *detail, const char *more) {
    switch (error) {
    case SB_OK: (void)snprintf(line, size, "nothing failed"); break;
    case SB_ERROR_BROKER_MISSING:
        (void)snprintf(line, size, "sensorbrokerd is not running: there is no socket %s. Start it with 'sudo systemctl start "
            "sensorbrokerd.socket', or simulate sensors with 'sensorbrokerd --mock --exec PROGRAM'", detail);
        break;
    case SB_ERROR_BROKER_STOPPED:
        (void)snprintf(line, size, "nothing listens at %s: sensorbrokerd has stopped. Start it with 'sudo systemctl start "
            "sensorbrokerd.socket'", detail);
        break;
    case SB_ERROR_NOT_PERMITTED:
        if (strchr(detail, '/'))
            explain_closed(line, size, detail);
        else
            (void)snprintf(line, size, "this user may not read %s; the administrator grants access with Groups= in "
                "sensorbrokerd.conf", *detail ? detail : "this resource");
        break;
    case SB_ERROR_DISCONNECTED:
        (void)snprintf(line, size, "%s", *detail ? detail : "the connection to the broker broke; the library connects again");
        break;
    case SB_ERROR_ENDED:
        if (strcmp(detail, "slowClient") == 0)
            (void)snprintf(line, size, "the broker ended the stream, because the program read nothing for too long: call sb_next "
                "more often");
        else
            (void)snprintf(line, size, "the broker ended the stream (%s); the library connects again", detail);
        break;
    case SB_ERROR_NO_SUCH_RESOURCE:
        (void)snprintf(line, size, "the broker has no resource '%s'; sb_list, or 'sensorctl list', names those that it has",
            detail);
        break;
    case SB_ERROR_RESOURCE_UNAVAILABLE:
        (void)snprintf(line, size, "%s is not available%s%s%s; a subscription tells when it is", *detail ? detail : "the resource",
            more ? " (" : "", more ? more : "", more ? ")" : "");
        break;
    case SB_ERROR_TIMED_OUT: (void)snprintf(line, size, "%s", detail); break;
    case SB_ERROR_TOO_MANY_SUBSCRIPTIONS:
        (void)snprintf(line, size, "this user has reached the limit of subscriptions or connections: close one of them");
        break;
    case SB_ERROR_TOO_MANY_REQUESTS:
        (void)snprintf(line, size, "the subscription or its user has as many requests as it may have: remove some");
        break;
    case SB_ERROR_INVALID_REQUEST: (void)snprintf(line, size, "%s", detail); break;
    case SB_ERROR_UNINTELLIGIBLE:
        (void)snprintf(line, size, "the peer is not a broker, or is one of another version: %s%s%s%s. Is the path of the socket "
            "right?", detail, more ? " ('" : "", more ? more : "", more ? "')" : "");
        break;
    case SB_ERROR_SYSTEM: (void)snprintf(line, size, "the system refused something that the library needs: %s", detail); break;
    case SB_ERROR_NAME_TAKEN:
        (void)snprintf(line, size, "%s is provided by %s already: end that one, or provide another name, such as %.40s:2", detail,
            more ? more : "another program", detail);
        break;
    case SB_ERROR_NO_SUCH_KIND:
        (void)snprintf(line, size, "the broker has no kind '%s'; name a resource by one, such as 'accelerometer:arm', or give its "
            "kind", detail);
        break;
    case SB_ERROR_BROKER_BUSY: (void)snprintf(line, size, "the broker reads too slowly: samples were dropped"); break;
    }
}

static enum sb_error refuse(sb_client *client, enum sb_error error, const char *detail, const char *more) {
    explain(client->failure_text, sizeof client->failure_text, error, detail, more);
    client->failure.error = error;
    client->failure.text = client->failure_text;
    client->failure.retry_ns = SB_UNKNOWN;
    client->failure.reason = NULL;
    return error;
}

const struct sb_failure *sb_last_failure(const sb_client *client) { return &client->failure; }

/* The error that an error reply means; `detail` and `more` are for its words. */
static enum sb_error reply_error(const struct reply *reply, const char **detail, const char **more) {
    static const struct {
        const char *name;
        enum sb_error error;
    } errors[] = {
        {"org.varlink.service.PermissionDenied", SB_ERROR_NOT_PERMITTED},
        {"org.varlink.service.InvalidParameter", SB_ERROR_INVALID_REQUEST},
        {INTERFACE "NoSuchResource", SB_ERROR_NO_SUCH_RESOURCE},
        {INTERFACE "NoSuchSubscription", SB_ERROR_DISCONNECTED},
        {INTERFACE "ResourceUnavailable", SB_ERROR_RESOURCE_UNAVAILABLE},
        {INTERFACE "TimedOut", SB_ERROR_TIMED_OUT},
        {INTERFACE "TooManySubscriptions", SB_ERROR_TOO_MANY_SUBSCRIPTIONS},
        {INTERFACE "TooManyConnections", SB_ERROR_TOO_MANY_SUBSCRIPTIONS},
        {INTERFACE "TooManyRequests", SB_ERROR_TOO_MANY_REQUESTS},
    };
    size_t i;
    *detail = reply->resource ? reply->resource : "";
    *more = reply->reason;
    for (i = 0; i < COUNT_OF(errors); i++) {
        if (strcmp(reply->error, errors[i].name) != 0) continue;
        if (errors[i].error == SB_ERROR_INVALID_REQUEST) *detail = reply->parameter ? reply->parameter : "";
        if (errors[i].error == SB_ERROR_TIMED_OUT) *detail = "no reading came in time: allow more time, or an older reading";
        return errors[i].error;
    }
    *detail = "it replied with an error that a broker does not have";
    *more = reply->error;
    return SB_ERROR_UNINTELLIGIBLE;
}

static void invalid_text(char *line, size_t size, const char *parameter) {
    (void)snprintf(line, size, "the broker does not accept this value of '%s'", parameter);
}

/* ---- Events for the program */

/* Memory for events; if there is none, the message is given up as a whole, so that nothing is lost without a word. */
static void *take_memory(sb_client *client, size_t bytes) {
    void *place = arena_take(&client->arena, bytes);
    if (!place) client->is_short = true;
    return place;
}

static struct sb_event *push(sb_client *client, enum sb_event_type type, struct channel *channel) {
    struct node *node = (struct node *)take_memory(client, sizeof *node);
    if (!node) return NULL;
    memset(node, 0, sizeof *node);
    node->channel = channel;
    node->event.type = type;
    if (client->last)
        client->last->next = node;
    else
        client->first = node;
    client->last = node;
    return &node->event;
}

static bool push_failure(sb_client *client, enum sb_event_type type, struct channel *channel, enum sb_error error,
                         const char *detail, const char *more, int64_t retry) {
    char line[512];
    struct sb_event *event;
    struct sb_failure *failure = (struct sb_failure *)take_memory(client, sizeof *failure);
    if (!failure) return false;
    explain(line, sizeof line, error, detail, more);
    failure->error = error;
    failure->text = arena_text(&client->arena, "%s", line);
    failure->retry_ns = retry;
    failure->reason = error == SB_ERROR_ENDED ? arena_text(&client->arena, "%s", detail) : NULL;
    if (!failure->text) failure->text = "";
    event = push(client, type, channel);
    if (event) event->failure = failure;
    return event != NULL;
}

/* ---- Waits */

/* The wait after another failure. */
static int64_t back_off(uint64_t *random, struct retry *retry, int64_t now) {
    int64_t wait = retry->wait ? retry->wait : FIRST_WAIT_NS;
    retry->wait = earlier(2 * wait, LONGEST_WAIT_NS);
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    wait += (int64_t)(*random % (uint64_t)(2 * wait / 5)) - wait / 5;
    retry->at = now + wait;
    return wait;
}

static int64_t retry_later(sb_client *client, struct retry *retry, int64_t now) {
    client->timer_is_due = true;
    return back_off(&client->random, retry, now);
}

static void retry_reset(struct retry *retry) {
    retry->at = NEVER;
    retry->wait = 0;
}

/* ---- Requests */

static void drop(struct wish **wish) {
    if (*wish && --(*wish)->uses == 0) free(*wish);
    *wish = NULL;
}

static void hold(struct wish **place, struct wish *wish) {
    if (wish) wish->uses++;
    drop(place);
    *place = wish;
}

static char *copy_text(char **into, const char *text) {
    char *copy = *into;
    size_t length;
    if (!text) return NULL;
    length = strlen(text) + 1;
    memcpy(copy, text, length);
    *into += length;
    return copy;
}

static size_t text_size(const char *text) { return text ? strlen(text) + 1 : 0; }

static struct wish *make_wish(const struct sb_request *request) {
    struct wish *wish = (struct wish *)malloc(
        sizeof *wish + text_size(request->resource) + text_size(request->label) + text_size(request->align_to));
    char *texts;
    if (!wish) return NULL;
    texts = (char *)(wish + 1);
    wish->uses = 1;
    wish->request = *request;
    wish->request.resource = copy_text(&texts, request->resource);
    wish->request.label = copy_text(&texts, request->label);
    wish->request.align_to = copy_text(&texts, request->align_to);
    return wish;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same_wish(const struct wish *a, const struct wish *b) {
    const struct sb_request *x, *y;
    if (a == b || !a || !b) return a == b;
    x = &a->request;
    y = &b->request;
    return same_text(x->resource, y->resource) && same_text(x->label, y->label) && same_text(x->align_to, y->align_to)
        && x->interval_ns == y->interval_ns && x->batch_ns == y->batch_ns && x->filter == y->filter
        && !(x->minimum_change < y->minimum_change) && !(x->minimum_change > y->minimum_change)
        && x->satellites == y->satellites && x->packed == y->packed;
}

static bool is_of(const struct wish *wish, const char *resource) { return wish && strcmp(wish->request.resource, resource) == 0; }

static const char *name_of(const char *resource, const char *label) { return label ? label : resource; }

/* The request of this name, of those that the program still has. */
static struct channel *find(const sb_client *client, const char *name) {
    struct channel *channel, *first = client->expected ? client->expected : client->channels;
    for (channel = first; channel;) {
        if (channel->wanted && strcmp(channel->name, name) == 0) return channel;
        channel = channel->next ? channel->next : client->channels;
        if (channel == first) break;
    }
    return NULL;
}

/* The request that something of a resource belongs to; NULL if it is for a former one. What comes is mostly in the order of the
   requests, of which there may be a thousand: the search for the next one begins behind this one. */
static struct channel *find_for(sb_client *client, const char *resource, const char *label) {
    struct channel *channel = find(client, name_of(resource, label));
    if (channel) client->expected = channel->next;
    return channel && is_of(channel->wanted, resource) ? channel : NULL;
}

static void channel_free(struct channel *channel) {
    drop(&channel->wanted);
    drop(&channel->asked);
    drop(&channel->carried);
    free(channel);
}

/* Frees what the program has removed and the broker does not have; only while no event names it. */
static void sweep(sb_client *client) {
    struct channel **place = &client->channels;
    if (!client->has_removed) return;
    client->has_removed = false;
    client->expected = NULL;
    while (*place) {
        struct channel *channel = *place;
        if (channel->wanted || channel->carried || channel->asked || channel->is_removing) {
            client->has_removed = client->has_removed || !channel->wanted;
            place = &channel->next;
        } else {
            *place = channel->next;
            channel_free(channel);
        }
    }
}

/* ---- Resources */

static struct known *known_of(const sb_client *client, const char *name) {
    struct known *known;
    for (known = client->known; known; known = known->next)
        if (strcmp(known->resource.name, name) == 0) return known;
    return NULL;
}

static bool same_resource(const struct sb_resource *a, const struct sb_resource *b) {
    size_t i;
    if (!same_text(a->kind, b->kind) || !same_text(a->state_name, b->state_name) || !same_text(a->reason, b->reason)
        || !same_text(a->description, b->description) || a->simulated != b->simulated
        || a->minimum_interval_ns != b->minimum_interval_ns || a->maximum_interval_ns != b->maximum_interval_ns
        || a->default_interval_ns != b->default_interval_ns || a->device_interval_ns != b->device_interval_ns
        || a->reporting != b->reporting || a->channel_count != b->channel_count)
        return false;
    for (i = 0; i < a->channel_count; i++)
        if (!same_text(a->channels[i].name, b->channels[i].name) || !same_text(a->channels[i].unit, b->channels[i].unit))
            return false;
    return true;
}

static struct known *copy_resource(const struct sb_resource *resource) {
    size_t size = sizeof(struct known) + resource->channel_count * sizeof(struct sb_channel), i;
    struct known *known;
    struct sb_channel *channels;
    char *texts;
    size += text_size(resource->name) + text_size(resource->kind) + text_size(resource->state_name)
        + text_size(resource->reason) + text_size(resource->description);
    for (i = 0; i < resource->channel_count; i++)
        size += text_size(resource->channels[i].name) + text_size(resource->channels[i].unit);
    known = (struct known *)malloc(size);
    if (!known) return NULL;
    known->next = NULL;
    known->told_in = 0;
    known->resource = *resource;
    channels = (struct sb_channel *)(void *)(known + 1);
    texts = (char *)(channels + resource->channel_count);
    known->resource.channels = channels;
    known->resource.name = copy_text(&texts, resource->name);
    known->resource.kind = copy_text(&texts, resource->kind);
    known->resource.state_name = copy_text(&texts, resource->state_name);
    known->resource.reason = copy_text(&texts, resource->reason);
    known->resource.description = copy_text(&texts, resource->description);
    for (i = 0; i < resource->channel_count; i++) {
        channels[i] = resource->channels[i];
        channels[i].name = copy_text(&texts, resource->channels[i].name);
        channels[i].unit = copy_text(&texts, resource->channels[i].unit);
    }
    return known;
}

static void push_state(sb_client *client, struct channel *channel, const struct sb_resource *resource) {
    struct sb_event *event = push(client, SB_STATE, channel);
    if (event) event->resource = resource;
}

/* ---- Silence: no reading for longer than the interval explains, although the device is said to be active */

static int64_t silent_at(const sb_client *client, const struct channel *channel) {
    const struct known *known;
    int64_t interval;
    if (channel->is_silent || !channel->granted || !channel->wanted || channel->wanted->request.minimum_change > 0
        || channel->wanted->request.align_to)
        return NEVER;
    known = known_of(client, channel->wanted->request.resource);
    if (!known || known->resource.state != SB_STATE_ACTIVE || known->resource.reporting != SB_REPORTING_CONTINUOUS)
        return NEVER;
    interval = later(later(channel->grant.interval_ns, channel->grant.device_interval_ns), later(channel->spacing, 0));
    return plus(plus(channel->silent_since, times(5, interval)), plus(channel->grant.batch_ns, SECOND));
}

static void silence_begin(sb_client *client, struct channel *channel, int64_t now, bool state_is_told) {
    channel->silent_since = later(channel->silent_since, now);
    if (state_is_told) channel->is_silent = false;
    client->timer_is_due = true;
}

static void note_silence(sb_client *client, int64_t now) {
    struct channel *channel;
    for (channel = client->channels; channel; channel = channel->next) {
        struct sb_resource *resource;
        const struct known *known;
        if (now < silent_at(client, channel)) continue;
        known = known_of(client, channel->wanted->request.resource);
        resource = (struct sb_resource *)take_memory(client, sizeof *resource);
        channel->is_silent = true;
        if (!known || !resource) continue;
        *resource = known->resource;
        resource->state = SB_STATE_STALE;
        resource->state_name = "stale";
        resource->reason = "no reading has come for a while, although they are due; perhaps the broker is stopped";
        push_state(client, channel, resource);
    }
}

/* ================================================================ The stream */

static int64_t deadline(sb_client *client) {
    struct channel *channel;
    int64_t at = earlier(client->link.at, client->stream_retry.at);
    if (client->change.fd >= 0) at = earlier(at, client->change_by);
    if (client->stream.fd >= 0) {
        at = earlier(at, client->answer_by);
        at = earlier(at, client->doubted_until != NEVER ? client->doubted_until : plus(client->received_at, SUSPECT_NS));
    }
    for (channel = client->channels; channel; channel = channel->next) {
        at = earlier(at, channel->retry.at);
        at = earlier(at, silent_at(client, channel));
    }
    return at;
}

/* Sets a timer to an instant, if it is set to another one. */
static void arm(int timer, int64_t *set_to, int64_t at) {
    struct itimerspec when;
    if (at == *set_to) return;
    *set_to = at;
    memset(&when, 0, sizeof when);
    if (at != NEVER) {
        at = later(at, 1);
        when.it_value.tv_sec = (time_t)(at / SECOND);
        when.it_value.tv_nsec = (long)(at % SECOND);
    }
    (void)timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Sets the timer that makes the descriptor readable. A reading only puts a deadline off, and leaves the timer. */
static void set_timer(sb_client *client) {
    client->timer_is_due = false;
    arm(client->timer, &client->timer_at, client->first || client->is_changed || client->has_more ? 1 : deadline(client));
}

static void settle(sb_client *client, int64_t now);

/* Forgets everything that depends on the connection of the stream. */
static void reset_stream(sb_client *client) {
    struct channel *channel;
    client->is_unsettled = true;
    wire_close(&client->stream);
    wire_close(&client->change);
    free(client->subscription);
    client->subscription = NULL;
    client->doubted_until = client->answer_by = NEVER;
    client->timer_is_due = true;
    for (channel = client->channels; channel; channel = channel->next) {
        drop(&channel->asked);
        drop(&channel->carried);
        channel->is_asked = channel->is_removing = false;
    }
}

/* The stream has lost its connection: its requests have no grants until it is back. */
static void interrupt_stream(sb_client *client) {
    struct channel *channel;
    reset_stream(client);
    for (channel = client->channels; channel; channel = channel->next) {
        channel->is_interrupted = true;
        channel->granted = false;
    }
}

/* Tells the program that there is no stream, and why; once, until there is one again. */
static void tell_disconnected(sb_client *client, enum sb_error error, const char *detail, const char *more, int64_t wait) {
    explain(client->outage_text, sizeof client->outage_text, error, detail, more);
    client->outage.error = error;
    client->outage.text = client->outage_text;
    client->outage.retry_ns = wait;
    client->outage.reason = NULL;
    if (client->is_told) return;
    /* Without memory the next attempt tells it. */
    client->is_told = push_failure(client, SB_DISCONNECTED, NULL, error, detail, more, wait);
}

/* A connection broke, or could not be made. */
static void lose(sb_client *client, enum sb_error error, const char *detail, const char *more, int64_t now) {
    int64_t wait;
    interrupt_stream(client);
    client->is_up = false;
    wait = retry_later(client, &client->link, now);
    tell_disconnected(client, error, detail, more, wait);
}

/* The broker refuses the stream as a whole. */
static void give_up_stream(sb_client *client, enum sb_error error, const char *detail, const char *more, int64_t now) {
    int64_t wait;
    interrupt_stream(client);
    wait = retry_later(client, &client->stream_retry, now);
    tell_disconnected(client, error, detail, more, wait);
}

static void answered(sb_client *client) {
    retry_reset(&client->link);
    if (client->is_up && !client->is_told) return;
    client->is_up = true;
    client->is_told = false;
    client->outage.error = SB_OK;
    (void)push(client, SB_CONNECTED, NULL);
}

/* ---- Calls of the stream */

static void add_request(sb_client *client, struct text *call, const struct sb_request *request) {
    text_plain(call, "{\"resource\":");
    text_quoted(call, request->resource);
    if (request->label) {
        text_plain(call, ",\"label\":");
        text_quoted(call, request->label);
    }
    if (request->interval_ns) {
        text_plain(call, ",\"intervalNanoseconds\":");
        text_integer(call, request->interval_ns == SB_EVERY_SAMPLE ? 0 : request->interval_ns);
    }
    if (request->batch_ns) {
        text_plain(call, ",\"batchNanoseconds\":");
        text_integer(call, request->batch_ns);
    }
    if (request->filter != SB_FILTER_DEFAULT)
        text_plain(call, request->filter == SB_FILTER_MEAN ? ",\"filter\":\"mean\"" : ",\"filter\":\"newest\"");
    if (request->minimum_change > 0) {
        text_plain(call, ",\"minimumChange\":");
        text_number(call, request->minimum_change, client->locale);
    }
    if (request->satellites) text_plain(call, ",\"satellites\":true");
    if (request->packed) text_plain(call, ",\"packed\":true");
    if (request->align_to) {
        text_plain(call, ",\"alignTo\":");
        text_quoted(call, request->align_to);
    }
    text_plain(call, "}");
}

/* Whether the request that one is aligned to is at the broker, or in the call. */
static bool has_lead(const sb_client *client, const struct channel *channel) {
    const struct channel *lead = find(client, channel->wanted->request.align_to);
    return !lead || lead->carried || lead->is_asked;
}

/* Puts into a call what the broker does not have as the program wants it, the oldest first, and leads before what is aligned
   to them; the number of requests. */
static size_t add_requests(sb_client *client, struct text *call) {
    struct channel *channel;
    size_t count = 0;
    int aligned;
    for (aligned = 0; aligned < 2; aligned++) {
        for (channel = client->channels; channel; channel = channel->next) {
            if (!channel->wanted || channel->is_asked || channel->retry.at != NEVER || count >= REQUESTS_PER_CALL
                || count >= client->portion || same_wish(channel->wanted, channel->carried))
                continue;
            if ((aligned == 1) != (channel->wanted->request.align_to != NULL)) continue;
            if (aligned && !has_lead(client, channel)) continue;
            if (count++) text_plain(call, ",");
            hold(&channel->asked, channel->wanted);
            channel->is_asked = true;
            add_request(client, call, &channel->wanted->request);
        }
    }
    return count;
}

static size_t add_removals(sb_client *client, struct text *call) {
    struct channel *channel;
    size_t count = 0;
    for (channel = client->channels; channel; channel = channel->next) {
        if (channel->wanted || !channel->carried || count == REQUESTS_PER_CALL) continue;
        /* The name may have been given again to another request, which replaces this one. */
        if (find(client, channel->name)) {
            drop(&channel->carried);
            continue;
        }
        if (count++) text_plain(call, ",");
        channel->is_removing = true;
        text_quoted(call, channel->name);
    }
    return count;
}

/* Room for a path that is too long to be a socket's, so that it is told whole. */
enum { PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) + 64 };

/* The path of the providers' socket beside a broker's; false if the broker's has another name than a broker gives it. */
static bool feed_path(const char *broker, char *path, size_t size) {
    const char *slash = strrchr(broker, '/'), *name = slash ? slash + 1 : broker;
    static const char *const known[] = {SOCKET_NAME, FEED_SOCKET_NAME};
    size_t i;
    for (i = 0; i < COUNT_OF(known); i++) {
        size_t length = strlen(known[i]);
        if (strncmp(name, known[i], length) != 0 || (name[length] && name[length] != '.')) continue;
        return snprintf(path, size, "%.*s" FEED_SOCKET_NAME "%s", (int)(name - broker), broker, name + length) < (int)size;
    }
    return false;
}

/* Connects to the first candidate that accepts, and sends the call; else the failure. The path is the program's, or NULL. */
static enum sb_error dial(const char *path, bool is_feed, struct wire *wire, const struct text *call, char *detail, size_t size) {
    const char *environment = getenv("SENSORBROKER_SOCKET"), *directory = getenv("XDG_RUNTIME_DIR");
    char paths[2][PATH_BYTES];
    const char *candidates[2], *named = path ? path : environment && *environment ? environment : NULL;
    size_t count = 0, i;
    enum sb_error error = SB_ERROR_BROKER_MISSING;
    if (named && is_feed) {
        if (!feed_path(named, paths[0], sizeof paths[0])) {
            (void)snprintf(detail, size, "the socket %.200s is not named as a broker names it (" SOCKET_NAME "), so that of "
                "providers beside it cannot be found", named);
            return SB_ERROR_INVALID_REQUEST;
        }
        candidates[count++] = paths[0];
    } else if (named) {
        candidates[count++] = named;
    } else {
        const char *name = is_feed ? FEED_SOCKET_NAME : SOCKET_NAME;
        (void)snprintf(paths[0], sizeof paths[0], "/run/sensorbroker/%s", name);
        candidates[count++] = paths[0];
        if (directory && *directory) {
            (void)snprintf(paths[1], sizeof paths[1], "%s/sensorbroker/%s", directory, name);
            candidates[count++] = paths[1];
        }
    }
    if (call->failed) {
        (void)snprintf(detail, size, "memory");
        return SB_ERROR_SYSTEM;
    }
    if (count == 2)
        (void)snprintf(detail, size, "%s nor %s", candidates[0], candidates[1]);
    else
        (void)snprintf(detail, size, "%s", candidates[0]);
    for (i = 0; i < count; i++) {
        int code = wire_open(wire, candidates[i], call);
        if (code == 0) return SB_OK;
        if (code == ENOENT || error != SB_ERROR_BROKER_MISSING) continue;
        if (code == EACCES || code == EPERM)
            error = SB_ERROR_NOT_PERMITTED;
        else if (code == ECONNREFUSED)
            error = SB_ERROR_BROKER_STOPPED;
        else
            error = code == EAGAIN ? SB_ERROR_DISCONNECTED : SB_ERROR_SYSTEM;
        if (error == SB_ERROR_DISCONNECTED)
            (void)snprintf(detail, size, "the broker at %s does not answer: it is stopped, or hangs", candidates[i]);
        else if (error == SB_ERROR_SYSTEM)
            (void)snprintf(detail, size, "connect to %s: %s", candidates[i], strerror(code));
        else
            (void)snprintf(detail, size, "%s", candidates[i]);
    }
    return error;
}

static bool watch(int epoll, struct wire *wire, int what) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN | EPOLLRDHUP;
    event.data.u32 = (uint32_t)what;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, wire->fd, &event) != 0) return false;
    wire->epoll = epoll;
    return true;
}

/* Makes a call for the stream. */
static bool start_call(sb_client *client, struct wire *wire, int what, struct text *call, int64_t now) {
    char detail[400];
    enum sb_error error = dial(client->path, false, wire, call, detail, sizeof detail);
    free(call->bytes);
    if (error == SB_OK && !watch(client->epoll, wire, what)) {
        (void)snprintf(detail, sizeof detail, "epoll_ctl: %s", strerror(errno));
        error = SB_ERROR_SYSTEM;
    }
    if (error == SB_OK) {
        client->timer_is_due = true;
        return true;
    }
    lose(client, error, detail, NULL, now);
    return false;
}

/* Opens, changes and closes the stream until it carries what is requested. */
static void settle(sb_client *client, int64_t now) {
    struct channel *channel;
    struct text call = {NULL, 0, 0, false}, removals = {NULL, 0, 0, false};
    size_t wanted = 0, requests, removed;
    for (channel = client->channels; channel; channel = channel->next) wanted += channel->wanted != NULL;
    if (!wanted) {
        reset_stream(client);
        retry_reset(&client->stream_retry);
        client->portion = SIZE_MAX;
        return;
    }
    if (client->stream.fd < 0) {
        if (client->link.at != NEVER || client->stream_retry.at != NEVER) return;
        text_plain(&call, "{\"method\":\"" INTERFACE "Subscribe\",\"parameters\":{\"requests\":[");
        if (!add_requests(client, &call)) {
            free(call.bytes);
            return;
        }
        text_plain(&call, "]},\"more\":true}");
        client->received_at = now;
        client->answer_by = plus(now, ANSWER_NS);
        (void)start_call(client, &client->stream, CALL_STREAM, &call, now);
    } else if (client->subscription && client->change.fd < 0) {
        text_plain(&call, "{\"method\":\"" INTERFACE "Modify\",\"parameters\":{\"subscription\":");
        text_quoted(&call, client->subscription);
        text_plain(&call, ",\"requests\":[");
        requests = add_requests(client, &call);
        text_plain(&call, "]");
        removed = add_removals(client, &removals);
        if (removed && !removals.failed) {
            text_plain(&call, ",\"remove\":[");
            text_plain(&call, removals.bytes);
            text_plain(&call, "]");
        }
        text_plain(&call, "}}");
        free(removals.bytes);
        if (!requests && !removed) {
            client->is_unsettled = false;
            free(call.bytes);
            return;
        }
        client->change_by = plus(now, ANSWER_NS);
        (void)start_call(client, &client->change, CALL_CHANGE, &call, now);
    }
}

/* The broker carries out a call. */
static void accepted(sb_client *client) {
    struct channel *channel;
    for (channel = client->channels; channel; channel = channel->next) {
        if (channel->is_asked) {
            hold(&channel->carried, channel->asked);
            retry_reset(&channel->retry);
            channel->told = SB_OK;
        }
        if (channel->is_removing) drop(&channel->carried);
        drop(&channel->asked);
        channel->is_asked = channel->is_removing = false;
    }
    client->portion = SIZE_MAX;
    client->is_unsettled = true;
}

/* A request can never be granted. */
static void end_request(sb_client *client, struct channel *channel, enum sb_error error, const char *detail, const char *more) {
    if (!push_failure(client, SB_ENDED, channel, error, detail, more, SB_UNKNOWN)) {
        /* It does not end without a word. */
        (void)retry_later(client, &channel->retry, sb_now_ns());
        return;
    }
    drop(&channel->wanted);
    client->has_removed = true;
}

/* The broker refuses a call: one of its requests is the cause, or the whole stream has to wait. If the broker does not say which
   of many it is, half of them are tried first. */
static void refused(sb_client *client, const struct reply *reply, int64_t now) {
    const char *detail, *more;
    enum sb_error error = reply_error(reply, &detail, &more);
    struct channel *channel, *only = NULL;
    size_t asked = 0, wanted = 0;
    char line[300];
    bool any = false;
    client->is_unsettled = true;
    for (channel = client->channels; channel; channel = channel->next) {
        wanted += channel->wanted != NULL;
        if (channel->is_asked && channel->asked) {
            asked++;
            only = channel;
        }
    }
    if (error == SB_ERROR_INVALID_REQUEST) {
        invalid_text(line, sizeof line, detail);
        detail = line;
    }
    if (error == SB_ERROR_NOT_PERMITTED && only && asked == 1) detail = only->asked->request.resource;
    if (error == SB_ERROR_NO_SUCH_RESOURCE) {
        for (channel = client->channels; channel; channel = channel->next) {
            if (!is_of(channel->wanted, detail)) continue;
            any = true;
            end_request(client, channel, error, detail, more);
        }
        if (!any) give_up_stream(client, error, detail, more, now);
    } else if (error == SB_ERROR_INVALID_REQUEST || error == SB_ERROR_NOT_PERMITTED || error == SB_ERROR_TOO_MANY_REQUESTS) {
        if (asked == 0) {
            give_up_stream(client, error, detail, more, now);
        } else if (asked > 1) {
            client->portion = asked / 2;
        } else if (error == SB_ERROR_INVALID_REQUEST) {
            if (only->wanted && same_wish(only->wanted, only->asked)) {
                if (only->carried && only->granted) {
                    hold(&only->wanted, only->carried);
                    (void)push_failure(client, SB_ERROR, only, error, detail, more, SB_UNKNOWN);
                } else {
                    end_request(client, only, error, detail, more);
                }
            }
            client->portion = SIZE_MAX;
        } else if (wanted == 1 && !only->carried) {
            /* Without its only request there is no stream. */
            give_up_stream(client, error, detail, more, now);
        } else {
            int64_t wait = retry_later(client, &only->retry, now);
            if (only->told == error || push_failure(client, SB_ERROR, only, error, detail, more, wait)) only->told = error;
            client->portion = SIZE_MAX;
        }
    } else {
        give_up_stream(client, error, detail, more, now);
    }
    for (channel = client->channels; channel; channel = channel->next) {
        drop(&channel->asked);
        channel->is_asked = channel->is_removing = false;
    }
}

/* ---- Replies of the stream */

/* Whether a resource was asked for: others would be kept for nothing, and a peer may tell of ever more of them. */
static bool is_asked_for(const sb_client *client, const char *resource) {
    const struct channel *channel;
    for (channel = client->channels; channel; channel = channel->next)
        if (is_of(channel->wanted, resource) || is_of(channel->carried, resource)) return true;
    return false;
}

/* Learns a resource, and tells its requests if its state is another one. */
static void learn(sb_client *client, const struct sb_resource *resource, int64_t now) {
    struct known **place = &client->known, *fresh;
    struct channel *channel;
    bool is_news;
    if (!is_asked_for(client, resource->name)) return;
    while (*place && strcmp((*place)->resource.name, resource->name) != 0) place = &(*place)->next;
    if (*place && same_resource(&(*place)->resource, resource)) return;
    fresh = copy_resource(resource);
    if (!fresh) {
        client->is_short = true;
        return;
    }
    is_news = !*place || !same_text((*place)->resource.state_name, resource->state_name)
        || !same_text((*place)->resource.reason, resource->reason);
    fresh->told_in = is_news ? client->messages : 0;
    if (*place) {
        fresh->next = (*place)->next;
        free(*place);
    }
    *place = fresh;
    if (!is_news) return;
    for (channel = client->channels; channel; channel = channel->next) {
        if (!is_of(channel->wanted, resource->name)) continue;
        silence_begin(client, channel, now, true);
        push_state(client, channel, resource);
    }
}

static void take_grant(sb_client *client, const struct sb_grant *grant, int64_t now) {
    struct channel *channel = find_for(client, grant->resource, grant->label);
    struct sb_event *event;
    struct known *known;
    bool is_first;
    if (!channel) return;
    is_first = !channel->granted;
    channel->granted = true;
    channel->grant = *grant;
    channel->grant.resource = channel->grant.label = NULL;
    silence_begin(client, channel, now, is_first);
    event = push(client, SB_GRANT, channel);
    if (event) event->grant = grant;
    known = known_of(client, grant->resource);
    if (is_first && known && known->told_in != client->messages) {
        struct sb_resource *resource = (struct sb_resource *)take_memory(client, sizeof *resource);
        if (!resource) return;
        *resource = known->resource;
        push_state(client, channel, resource);
    }
}

static void push_gap(sb_client *client, struct channel *channel, const struct sb_gap *gap) {
    struct sb_event *event = push(client, SB_GAP, channel);
    if (event) event->gap = gap;
    channel->after_gap = true;
}

static void take_gap(sb_client *client, const struct sb_gap *gap) {
    struct channel *channel = find_for(client, gap->resource, gap->label);
    if (!channel) return;
    /* What was reported missing is not reported again after a reconnect. */
    if (channel->covered != SB_UNKNOWN) channel->covered = later(channel->covered, gap->until_ns);
    push_gap(client, channel, gap);
}

/* Reports the gap that an absence of the broker left in a request, if it is longer than an interval and a half. */
static void report_interruption(sb_client *client, struct channel *channel, const struct sb_reading *reading) {
    struct sb_gap *gap;
    int64_t interval;
    channel->is_interrupted = false;
    interval = later(channel->grant.interval_ns, 0);
    if (channel->covered == SB_UNKNOWN || reading->timestamp_ns <= plus(channel->covered, plus(interval, interval / 2))) return;
    gap = (struct sb_gap *)take_memory(client, sizeof *gap);
    if (!gap) return;
    gap->resource = reading->resource;
    gap->label = reading->label;
    gap->cause = "disconnected";
    gap->count = SB_UNKNOWN;
    gap->from_ns = channel->covered;
    gap->until_ns = reading->timestamp_ns;
    push_gap(client, channel, gap);
}

/* Gives columns their units, and a packed request its floats. */
static void finish_columns(sb_client *client, const struct channel *channel, struct sb_reading *reading) {
    const struct known *known = known_of(client, reading->resource);
    struct sb_column *columns = (struct sb_column *)(uintptr_t)reading->columns;
    size_t i, k;
    for (i = 0; i < reading->column_count; i++) {
        struct sb_column *column = &columns[i];
        if (known && i < known->resource.channel_count && strcmp(known->resource.channels[i].name, column->name) == 0) {
            column->unit = known->resource.channels[i].unit;
        } else if (known) {
            for (k = 0; k < known->resource.channel_count; k++)
                if (strcmp(known->resource.channels[k].name, column->name) == 0) column->unit = known->resource.channels[k].unit;
        }
        if (channel->wanted->request.packed && column->doubles) {
            float *floats = (float *)take_memory(client, column->count * sizeof *floats);
            if (!floats) continue;
            /* No kind has values near the ends of a float; what is beyond them stays at them. */
            for (k = 0; k < column->count; k++) {
                double value = column->doubles[k];
                floats[k] = value > (double)FLT_MAX ? FLT_MAX : value < -(double)FLT_MAX ? -FLT_MAX : (float)value;
            }
            column->floats = floats;
            column->doubles = NULL;
        } else if (!channel->wanted->request.packed && column->floats) {
            double *doubles = (double *)take_memory(client, column->count * sizeof *doubles);
            if (!doubles) continue;
            for (k = 0; k < column->count; k++) doubles[k] = (double)column->floats[k];
            column->doubles = doubles;
            column->floats = NULL;
        }
    }
}

static void take_reading(sb_client *client, struct sb_reading *reading, int64_t now) {
    struct channel *channel = find_for(client, reading->resource, reading->label);
    struct sb_event *event;
    int64_t last = sb_time_ns(reading, reading->count - 1);
    if (!channel) return;
    /* A stream begins with the newest reading, also where the broker was there all the time. */
    if (channel->is_interrupted && last <= channel->covered) return;
    if (channel->is_interrupted) report_interruption(client, channel, reading);
    if (channel->is_silent) {
        const struct known *known = known_of(client, reading->resource);
        struct sb_resource *resource = (struct sb_resource *)take_memory(client, sizeof *resource);
        if (known && resource) {
            *resource = known->resource;
            push_state(client, channel, resource);
        }
        channel->is_silent = false;
        client->timer_is_due = true;
    }
    finish_columns(client, channel, reading);
    reading->after_gap = channel->after_gap;
    event = client->is_short ? NULL : push(client, SB_READING, channel);
    if (!event) return;
    event->reading = reading;
    channel->after_gap = false;
    channel->silent_since = now;
    channel->spacing = channel->newest ? later(0, last - channel->newest) : 0;
    if (reading->count > 1) channel->spacing = later(0, last - sb_time_ns(reading, reading->count - 2));
    channel->newest = last;
    channel->covered = later(channel->covered, last);
    if (!client->timer_is_due && silent_at(client, channel) < client->timer_at) client->timer_is_due = true;
}

/* The broker ended the stream. */
static void lose_ended(sb_client *client, const char *ended, int64_t now) {
    if (!ended)
        lose(client, SB_ERROR_DISCONNECTED, "", NULL, now);
    else if (strcmp(ended, "permissionDenied") == 0)
        lose(client, SB_ERROR_NOT_PERMITTED, "", NULL, now);
    else
        lose(client, SB_ERROR_ENDED, ended, NULL, now);
}

static void take_update(sb_client *client, struct reply *reply, int64_t now) {
    const struct sb_resource *resources = (const struct sb_resource *)reply->resources.items;
    const struct sb_grant *grants = (const struct sb_grant *)reply->grants.items;
    const struct sb_gap *gaps = (const struct sb_gap *)reply->gaps.items;
    struct sb_reading *readings = (struct sb_reading *)reply->readings.items;
    size_t i;
    client->messages++;
    client->is_short = false;
    client->received_at = now;
    client->doubted_until = client->answer_by = NEVER;
    retry_reset(&client->stream_retry);
    answered(client);
    if (reply->subscription && !client->subscription) {
        client->subscription = strdup(reply->subscription);
        accepted(client);
    }
    for (i = 0; i < reply->resources.count; i++) learn(client, &resources[i], now);
    for (i = 0; i < reply->grants.count; i++) take_grant(client, &grants[i], now);
    for (i = 0; i < reply->gaps.count; i++) take_gap(client, &gaps[i]);
    for (i = 0; i < reply->readings.count; i++) take_reading(client, &readings[i], now);
    if (!reply->continues) lose_ended(client, reply->ended, now);
    if (client->is_short && client->stream.fd >= 0) lose(client, SB_ERROR_SYSTEM, "memory", NULL, now);
    client->is_short = false;
}

/* Decodes a message; false: it is not a reply, and `detail` and `more` say why. */
static bool decode(sb_client *client, struct arena *arena, char *message, struct reply *reply, const char **detail,
                   const char **more) {
    struct reader reader;
    /* The list of unknown keys needs no clearing. */
    reader.at = message;
    reader.arena = arena;
    reader.locale = client->locale;
    reader.fault = reader.field = NULL;
    reader.depth = reader.keys = reader.unknown_count = 0;
    if (read_reply(&reader, reply)) return true;
    *detail = reader.fault ? reader.fault : "its reply is wrong";
    *more = reader.field;
    return false;
}

static void hear_stream(sb_client *client, char *message, int64_t now) {
    struct reply reply;
    const char *detail, *more;
    if (!decode(client, &client->arena, message, &reply, &detail, &more)) {
        client->is_up = false;
        give_up_stream(client, SB_ERROR_UNINTELLIGIBLE, detail, more, now);
    } else if (reply.error) {
        /* What is at the broker goes with the connection, but the call of which it speaks is needed. */
        struct channel *channel;
        for (channel = client->channels; channel; channel = channel->next) {
            drop(&channel->carried);
            if (client->subscription) channel->is_interrupted = true;
            channel->granted = false;
        }
        wire_close(&client->stream);
        wire_close(&client->change);
        free(client->subscription);
        client->subscription = NULL;
        client->answer_by = client->doubted_until = NEVER;
        client->timer_is_due = true;
        refused(client, &reply, now);
    } else {
        take_update(client, &reply, now);
    }
    if (client->is_unsettled) settle(client, now);
}

static void hear_change(sb_client *client, char *message, int64_t now) {
    struct reply reply;
    const char *detail, *more;
    if (!decode(client, &client->arena, message, &reply, &detail, &more)) {
        client->is_up = false;
        give_up_stream(client, SB_ERROR_UNINTELLIGIBLE, detail, more, now);
    } else if (reply.error) {
        wire_close(&client->change);
        refused(client, &reply, now);
    } else {
        wire_close(&client->change);
        client->timer_is_due = true;
        accepted(client);
    }
    settle(client, now);
}

/* Does what is due. */
static void expire(sb_client *client, int64_t now) {
    struct channel *channel;
    note_silence(client, now);
    if (client->stream.fd >= 0) {
        if (client->doubted_until == NEVER && now >= plus(client->received_at, SUSPECT_NS))
            client->doubted_until = plus(now, DOUBT_NS);
        if (now >= client->answer_by || now >= client->doubted_until)
            lose(client, SB_ERROR_DISCONNECTED, "the broker does not answer; the library connects again", NULL, now);
    }
    if (client->change.fd >= 0 && now >= client->change_by)
        lose(client, SB_ERROR_TIMED_OUT, "the broker does not answer; the library connects again", NULL, now);
    if (now >= client->link.at) client->link.at = NEVER;
    if (now >= client->stream_retry.at) client->stream_retry.at = NEVER;
    for (channel = client->channels; channel; channel = channel->next) {
        if (now < channel->retry.at) continue;
        channel->retry.at = NEVER;
        client->is_unsettled = true;
    }
    /* Readings leave the timer, so it is due about once a second where all is well: nothing to ask, and no memory for it. */
    if (client->stream.fd < 0 || client->is_unsettled) settle(client, now);
    client->timer_is_due = true;
}

/* Handles the next message of a connection; false: nothing has come. */
static bool hear(sb_client *client, struct wire *wire, void (*handle)(sb_client *, char *, int64_t)) {
    char *message;
    int found;
    while (wire->fd >= 0) {
        found = wire_message(wire, &message);
        if (found > 0) {
            handle(client, message, sb_now_ns());
            return true;
        }
        if (found < 0) {
            client->is_up = false;
            give_up_stream(client, SB_ERROR_UNINTELLIGIBLE, "its reply is too long", NULL, sb_now_ns());
            return true;
        }
        if (wire->drained) return false;
        found = wire_receive(wire);
        if (found == 0) return false;
        if (found < 0) {
            bool memory = errno == ENOMEM;
            lose(client, memory ? SB_ERROR_SYSTEM : SB_ERROR_DISCONNECTED, memory ? "memory" : "", NULL, sb_now_ns());
            return true;
        }
    }
    return false;
}

/* Works until there is an event, or nothing more to do; not longer than for some messages, so that a loop has its turn. */
static void work(sb_client *client) {
    unsigned turns;
    bool has_looked = false;
    if (client->is_changed) {
        client->is_changed = false;
        client->timer_is_due = true;
        arena_reset(&client->arena);
        settle(client, sb_now_ns());
    }
    for (turns = 0; turns < MESSAGES_PER_TURN && !client->first; turns++) {
        bool heard;
        /* Before the sockets are looked into: what has come counts first. A program that was stopped, or got no processor, finds
         * no silence, but what it missed. */
        int64_t now = sb_now_ns();
        arena_reset(&client->arena);
        heard = hear(client, &client->stream, hear_stream);
        /* A stream that is never exhausted must not keep the rest waiting. */
        if (heard && ++client->turns % 64 != 0) continue;
        if (client->change.fd >= 0 && hear(client, &client->change, hear_change)) heard = true;
        if ((!client->first || heard) && now >= client->timer_at && (!heard || now >= plus(client->timer_at, SECOND))) {
            if (!heard && !has_looked) {
                has_looked = true;
                client->stream.drained = client->change.drained = false;
                continue;
            }
            expire(client, now);
        }
        if (!heard) break;
    }
    client->has_more = turns == MESSAGES_PER_TURN;
    client->timer_is_due = client->timer_is_due || client->has_more;
}

/* ================================================================ For the program */

sb_client *sb_open(const char *socket_path) {
    sb_client *client = (sb_client *)calloc(1, sizeof *client);
    struct epoll_event event;
    int code;
    if (!client) return NULL;
    client->epoll = client->timer = -1;
    client->stream.fd = client->change.fd = client->call.fd = -1;
    client->stream.epoll = client->change.epoll = client->call.epoll = -1;
    client->portion = SIZE_MAX;
    client->timer_at = client->answer_by = client->doubted_until = NEVER;
    retry_reset(&client->link);
    retry_reset(&client->stream_retry);
    client->random = (uint64_t)sb_now_ns() ^ (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)client;
    if (!client->random) client->random = 1;
    (void)refuse(client, SB_OK, "", NULL);
    client->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    client->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN;
    if (socket_path) client->path = strdup(socket_path);
    if ((socket_path && !client->path) || client->locale == (locale_t)0 || client->epoll < 0 || client->timer < 0
        || epoll_ctl(client->epoll, EPOLL_CTL_ADD, client->timer, &event) != 0) {
        code = errno;
        sb_close(client);
        errno = code;
        return NULL;
    }
    return client;
}

void sb_close(sb_client *client) {
    if (!client) return;
    while (client->channels) {
        struct channel *next = client->channels->next;
        channel_free(client->channels);
        client->channels = next;
    }
    while (client->known) {
        struct known *next = client->known->next;
        free(client->known);
        client->known = next;
    }
    wire_free(&client->stream);
    wire_free(&client->change);
    wire_free(&client->call);
    arena_free(&client->arena);
    arena_free(&client->call_arena);
    free(client->subscription);
    free(client->path);
    if (client->timer >= 0) (void)close(client->timer);
    if (client->epoll >= 0) (void)close(client->epoll);
    if (client->locale != (locale_t)0) freelocale(client->locale);
    free(client);
}

int sb_fd(const sb_client *client) { return client->epoll; }

const struct sb_failure *sb_outage(const sb_client *client) { return client->outage.error == SB_OK ? NULL : &client->outage; }

const char *sb_subscription(const sb_client *client) { return client->subscription; }

/* Whether a text may be sent. */
static bool is_utf8(const char *text) {
    while (*text) {
        size_t length = (unsigned char)*text < 0x80 ? 1 : utf8_sequence(text);
        if (!length) return false;
        text += length;
    }
    return true;
}

/* Whether a text may be a name: without control characters, and not too long. */
static bool is_name(const char *text) {
    if (!text || !*text || strlen(text) > NAME_BYTES || !is_utf8(text)) return false;
    for (; *text; text++)
        if ((unsigned char)*text < 0x20) return false;
    return true;
}

static bool is_label(const char *text) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = strlen(text);
    return length >= 1 && length <= 32 && strspn(text, letters) == length;
}

/* Has the next sb_next tell the broker, so that several changes become one call. */
static void change_requests(sb_client *client) {
    client->is_unsettled = client->is_changed = true;
    set_timer(client);
}

enum sb_error sb_subscribe(sb_client *client, const struct sb_request *request) {
    const char *fault = NULL;
    struct channel *channel;
    struct wish *wish;
    const char *name;
    int64_t now = sb_now_ns();
    if (!is_name(request->resource))
        fault = "the resource has no name, or an impossible one; sb_list, or 'sensorctl list', names them";
    else if (request->label && !is_label(request->label))
        fault = "the label is empty, too long or impossible: use 1 to 32 letters, digits, '.', '_' or '-'";
    else if (request->align_to && !is_name(request->align_to))
        fault = "align_to is not the name of another request";
    else if (request->interval_ns < 0 && request->interval_ns != SB_EVERY_SAMPLE)
        fault = "the interval is negative: use 0 for the default, SB_EVERY_SAMPLE for every sample";
    else if (request->batch_ns < 0)
        fault = "the batch time is negative: use 0 for none";
    else if (!(request->minimum_change >= 0) || !isfinite(request->minimum_change))
        fault = "the minimum change is negative or not a number: use 0 for none";
    else if ((unsigned)request->filter > SB_FILTER_MEAN)
        fault = "the filter is none of enum sb_filter";
    if (fault) return refuse(client, SB_ERROR_INVALID_REQUEST, fault, NULL);
    name = name_of(request->resource, request->label);
    wish = make_wish(request);
    channel = find(client, name);
    if (!wish) return refuse(client, SB_ERROR_SYSTEM, "memory", NULL);
    if (!channel) {
        struct channel **place = &client->channels;
        channel = (struct channel *)calloc(1, sizeof *channel + strlen(name) + 1);
        if (!channel) {
            drop(&wish);
            return refuse(client, SB_ERROR_SYSTEM, "memory", NULL);
        }
        channel->name = (char *)(channel + 1);
        memcpy(channel->name, name, strlen(name) + 1);
        channel->covered = SB_UNKNOWN;
        channel->silent_since = now;
        retry_reset(&channel->retry);
        while (*place) place = &(*place)->next;
        *place = channel;
    } else if (!is_of(channel->wanted, request->resource)) {
        /* Another resource has nothing in common with the one before. */
        channel->covered = SB_UNKNOWN;
        channel->silent_since = now;
        channel->granted = channel->after_gap = channel->is_silent = false;
        channel->newest = channel->spacing = 0;
    }
    channel->user = request->user;
    if (same_wish(channel->wanted, wish)) {
        drop(&wish);
    } else {
        drop(&channel->wanted);
        channel->wanted = wish;
        retry_reset(&channel->retry);
        channel->told = SB_OK;
    }
    change_requests(client);
    return SB_OK;
}

enum sb_error sb_unsubscribe(sb_client *client, const char *name) {
    struct channel *channel = name ? find(client, name) : NULL;
    if (!channel) return refuse(client, SB_ERROR_INVALID_REQUEST, "there is no request of that name", NULL);
    drop(&channel->wanted);
    client->has_removed = true;
    channel->granted = false;
    retry_reset(&channel->retry);
    change_requests(client);
    return SB_OK;
}

/* Takes the next event of those that wait. An ended request has one event more, all others that were removed have none. */
static const struct sb_event *take_event(sb_client *client) {
    while (client->first) {
        struct node *node = client->first;
        client->first = node->next;
        if (!client->first) client->last = NULL;
        if (node->channel && !node->channel->wanted && node->event.type != SB_ENDED) continue;
        client->event = node->event;
        if (node->channel) {
            client->event.request = node->channel->name;
            client->event.user = node->channel->user;
        }
        return &client->event;
    }
    return NULL;
}

/* Waits until a descriptor is readable; false: the time is over, or a handler of the program has caught a signal. */
static bool await_readable(int descriptor, int timeout_ms, int64_t until) {
    struct pollfd ready;
    int wait = timeout_ms;
    if (timeout_ms == 0) return false;
    if (timeout_ms > 0) {
        int64_t left = until - sb_now_ns();
        if (left <= 0) return false;
        wait = (int)((left + 999999) / 1000000);
    }
    ready.fd = descriptor;
    ready.events = POLLIN;
    ready.revents = 0;
    /* Not epoll_wait, which is also interrupted when the process was stopped and goes on, without any handler. */
    return poll(&ready, 1, wait) >= 0;
}

const struct sb_event *sb_next(sb_client *client, int timeout_ms) {
    int64_t until = timeout_ms > 0 ? plus(sb_now_ns(), (int64_t)timeout_ms * 1000000) : 0;
    for (;;) {
        const struct sb_event *event = take_event(client);
        if (event) return event;
        /* The program has done with the events of the last message. */
        sweep(client);
        work(client);
        if (client->timer_is_due) set_timer(client);
        event = take_event(client);
        if (event) return event;
        sweep(client);
        client->stream.drained = client->change.drained = false;
        if (!await_readable(client->epoll, timeout_ms, until)) return NULL;
    }
}

/* ---- Calls that wait */

/* How long a call goes on looking while nothing listens: the broker may have been started a moment ago. Longer where the socket
   was named, since then somebody says that there is one; a host without a broker is to be found out soon. */
static int64_t patience_ns(const sb_client *client) {
    const char *environment = getenv("SENSORBROKER_SOCKET");
    return client->path || (environment && *environment) ? 1000000000 : 250000000;
}

/* Makes a call on a connection of its own, and waits for its reply; the broker needs a moment even for what it has at once. */
static enum sb_error call_and_wait(sb_client *client, struct text *call, int timeout_ms, struct reply *reply) {
    int64_t begin = sb_now_ns(), wait = (int64_t)(timeout_ms < 0 ? INT32_MAX : timeout_ms) * 1000000;
    int64_t until = plus(begin, later(wait, REPLY_NS)), looks_until;
    static const char *const late = "no answer came in time: allow more time, or look at 'sensorctl list'";
    const char *text, *more;
    char detail[400], *message;
    enum sb_error error;
    arena_reset(&client->call_arena);
    looks_until = plus(begin, earlier(wait, patience_ns(client)));
    for (;;) {
        error = dial(client->path, false, &client->call, call, detail, sizeof detail);
        if ((error != SB_ERROR_BROKER_MISSING && error != SB_ERROR_BROKER_STOPPED) || sb_now_ns() >= looks_until) break;
        (void)poll(NULL, 0, 10);
    }
    free(call->bytes);
    if (error != SB_OK) return refuse(client, error, detail, NULL);
    for (;;) {
        struct pollfd ready;
        int64_t left;
        int found = wire_message(&client->call, &message);
        if (found > 0) break;
        if (found < 0) {
            wire_close(&client->call);
            return refuse(client, SB_ERROR_UNINTELLIGIBLE, "its reply is too long", NULL);
        }
        left = until - sb_now_ns();
        ready.fd = client->call.fd;
        ready.events = POLLIN;
        ready.revents = 0;
        /* Even when the time is over: the answer may have come while the program was stopped. */
        if ((poll(&ready, 1, (int)earlier((later(left, 0) + 999999) / 1000000, INT32_MAX)) < 0 && errno != EINTR)
            || (left <= 0 && !ready.revents)) {
            wire_close(&client->call);
            return refuse(client, SB_ERROR_TIMED_OUT, late, NULL);
        }
        if (ready.revents && wire_receive(&client->call) < 0) {
            wire_close(&client->call);
            return refuse(client, SB_ERROR_DISCONNECTED, "", NULL);
        }
    }
    /* What was received stays until the next call. */
    wire_hang_up(&client->call);
    if (!decode(client, &client->call_arena, message, reply, &text, &more))
        return refuse(client, SB_ERROR_UNINTELLIGIBLE, text, more);
    if (!reply->error) return SB_OK;
    error = reply_error(reply, &text, &more);
    if (error == SB_ERROR_INVALID_REQUEST) {
        invalid_text(detail, sizeof detail, text);
        text = detail;
    }
    return refuse(client, error, text, more);
}

enum sb_error sb_read(sb_client *client, const char *resource, int64_t maximum_age_ns, int timeout_ms,
                      const struct sb_reading **reading) {
    struct text call = {NULL, 0, 0, false};
    struct reply reply;
    enum sb_error error;
    const struct known *known;
    size_t i, k;
    if (!is_name(resource)) return refuse(client, SB_ERROR_INVALID_REQUEST, "the resource has no name, or an impossible one", NULL);
    text_plain(&call, "{\"method\":\"" INTERFACE "Read\",\"parameters\":{\"resource\":");
    text_quoted(&call, resource);
    text_plain(&call, ",\"maximumAgeNanoseconds\":");
    text_integer(&call, later(maximum_age_ns, 0));
    text_plain(&call, ",\"timeoutNanoseconds\":");
    text_integer(&call, (int64_t)(timeout_ms < 0 ? INT32_MAX : timeout_ms) * 1000000);
    text_plain(&call, ",\"satellites\":true}}");
    wire_close(&client->call);
    error = call_and_wait(client, &call, timeout_ms, &reply);
    if (error != SB_OK) return error;
    if (!reply.has_reading) return refuse(client, SB_ERROR_UNINTELLIGIBLE, "a field is missing", "reading");
    client->call_reading = reply.reading;
    known = known_of(client, reply.reading.resource);
    for (i = 0; known && i < reply.reading.column_count; i++)
        for (k = 0; k < known->resource.channel_count; k++)
            if (strcmp(known->resource.channels[k].name, reply.reading.columns[i].name) == 0)
                ((struct sb_column *)(uintptr_t)reply.reading.columns)[i].unit = known->resource.channels[k].unit;
    *reading = &client->call_reading;
    return SB_OK;
}

enum sb_error sb_list(sb_client *client, int timeout_ms, const struct sb_resource **resources, size_t *count) {
    struct text call = {NULL, 0, 0, false};
    struct reply reply;
    enum sb_error error;
    text_plain(&call, "{\"method\":\"" INTERFACE "ListResources\"}");
    wire_close(&client->call);
    error = call_and_wait(client, &call, timeout_ms, &reply);
    if (error != SB_OK) return error;
    if (!reply.has_resources) return refuse(client, SB_ERROR_UNINTELLIGIBLE, "a field is missing", "resources");
    *resources = (const struct sb_resource *)reply.resources.items;
    *count = reply.resources.count;
    return SB_OK;
}

/* ================================================================ A program as a sensor */

/* So that a call has few kilobytes for each time. */
enum { MOST_OFFERS = 64, MOST_CHANNELS = 16 };
/* The broker closes a connection with a longer call: several calls carry what is longer. */
enum { CALL_BYTES = 64 << 10 };
/* The most numbers of one push. */
enum { MOST_NUMBERS = 1 << 18 };

/* An offer as it is written into calls. */
struct lot {
    const char *head;            /* {"resource":"…" */
    const char *const *channels; /* "x": */
    size_t channel_count;        /* 0: a location */
};

struct sb_provider {
    char *path; /* NULL: the usual places */
    locale_t locale;
    int epoll, timer;
    int64_t timer_at;
    uint64_t random;

    struct arena kept; /* of the lots */
    struct lot *lots;
    size_t lot_count, channel_count; /* of all lots */
    size_t heads_length;             /* of what is written of all lots whatever was measured */
    bool has_location;
    struct text call; /* Provide */

    struct wire wire;
    int64_t answer_by;
    struct retry link; /* at: when to connect; NEVER: there is a connection, or the end */
    struct arena arena; /* of the message */
    bool has_more;      /* messages that were received and not heard */

    struct text push; /* the calls that are being sent, with a NUL byte after each; its length is 0 if there are none */
    size_t sent;      /* of it */
    size_t pushed, pushed_per_call; /* how many times are in it, and in each call but the last */
    bool is_sending;  /* the rest waits for room in the socket */
    int64_t dropped;
    int64_t missing; /* of these, what the broker has not heard of */
    bool takes_missing; /* a broker that does not say so would refuse samples that come with it */

    bool is_up, has_ended;
    struct sb_demand demand;
    struct sb_refusal refusal;
    char reason[256];
    struct sb_failure failure; /* why it does not provide */
    char failure_text[512];
    bool is_told; /* the program knows that */
    bool tells_refusal, tells_loss, tells_end, tells_demand;
    struct sb_failure last_failure; /* of a push */
    struct sb_refusal told_refusal;
    struct sb_provider_event event; /* the one that the program has */
};

/* ---- Replies of the broker */

struct feed_reply {
    const char *error;
    bool continues, has_demand, takes_missing;
    struct sb_demand demand;
    struct sb_refusal refusal;
    /* Of errors */
    const char *resource, *reason, *holder, *kind, *parameter;
};

static bool read_wanted(struct reader *reader, void *into) {
    struct feed_reply *reply = (struct feed_reply *)into;
    reply->has_demand = true;
    reply->demand.wanted = *reader->at == 't';
    return literal(reader, reply->demand.wanted ? "true" : "false");
}

static bool read_refusal(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("count"), INTEGER, true, offsetof(struct sb_refusal, count), NULL},
        {NAME("reason"), TEXT, true, offsetof(struct sb_refusal, reason), NULL},
    };
    return read_object(reader, fields, COUNT_OF(fields), into);
}

static bool read_feed_parameters(struct reader *reader, void *into) {
    static const struct field fields[] = {
        {NAME("wanted"), OTHER, false, 0, read_wanted},
        {NAME("intervalNanoseconds"), INTEGER, false, offsetof(struct feed_reply, demand.interval_ns), NULL},
        {NAME("latencyNanoseconds"), INTEGER, false, offsetof(struct feed_reply, demand.latency_ns), NULL},
        {NAME("refused"), OTHER, false, offsetof(struct feed_reply, refusal), read_refusal},
        {NAME("takesMissing"), BOOLEAN, false, offsetof(struct feed_reply, takes_missing), NULL},
        {NAME("resource"), TEXT, false, offsetof(struct feed_reply, resource), NULL},
        {NAME("reason"), TEXT, false, offsetof(struct feed_reply, reason), NULL},
        {NAME("holder"), TEXT, false, offsetof(struct feed_reply, holder), NULL},
        {NAME("kind"), TEXT, false, offsetof(struct feed_reply, kind), NULL},
        {NAME("parameter"), TEXT, false, offsetof(struct feed_reply, parameter), NULL},
    };
    return read_object(reader, fields, COUNT_OF(fields), into);
}

static bool read_feed_reply(struct reader *reader, struct feed_reply *reply) {
    static const struct field fields[] = {
        {NAME("error"), TEXT, false, offsetof(struct feed_reply, error), NULL},
        {NAME("parameters"), OTHER, false, 0, read_feed_parameters},
        {NAME("continues"), BOOLEAN, false, offsetof(struct feed_reply, continues), NULL},
    };
    memset(reply, 0, sizeof *reply);
    reply->demand.interval_ns = SB_UNKNOWN;
    if (!read_object(reader, fields, COUNT_OF(fields), reply)) return false;
    skip_space(reader);
    if (*reader->at) return fail(reader, "something follows its reply");
    if (reply->error) return !reply->continues || fail(reader, "its reply is an error and continues");
    if (!reply->has_demand) {
        reader->field = "wanted";
        return fail(reader, "a field is missing");
    }
    if ((reply->demand.interval_ns < 0 && reply->demand.interval_ns != SB_UNKNOWN) || reply->demand.latency_ns < 0
        || reply->refusal.count < 0)
        return fail(reader, "a time or a count is not possible");
    return true;
}

/* ---- The connection */

/* How many times are in calls that are not sent to their end. */
static size_t unsent_times(const sb_provider *provider) {
    size_t i, sent = 0;
    for (i = 0; i < provider->sent; i++)
        if (!provider->push.bytes[i]) sent += provider->pushed_per_call;
    return provider->push.length && sent < provider->pushed ? provider->pushed - sent : 0;
}

static void provider_close(sb_provider *provider) {
    provider->dropped = plus(provider->dropped, (int64_t)unsent_times(provider));
    wire_close(&provider->wire);
    provider->answer_by = NEVER;
    provider->push.length = provider->sent = 0;
    provider->is_sending = provider->has_more = provider->is_up = provider->tells_demand = false;
    memset(&provider->demand, 0, sizeof provider->demand);
    provider->demand.interval_ns = SB_UNKNOWN;
}

static void provider_note(sb_provider *provider, enum sb_error error, const char *detail, const char *more, int64_t wait) {
    if (error == SB_ERROR_NOT_PERMITTED && more)
        (void)snprintf(provider->failure_text, sizeof provider->failure_text, "this user may not provide %s: %s", detail, more);
    else
        explain(provider->failure_text, sizeof provider->failure_text, error, detail, more);
    provider->failure.error = error;
    provider->failure.text = provider->failure_text;
    provider->failure.reason = NULL;
    provider->failure.retry_ns = wait;
}

/* It does not provide at present. The texts may be those of a message. */
static void provider_lose(sb_provider *provider, enum sb_error error, const char *detail, const char *more, int64_t now) {
    provider_note(provider, error, detail, more, back_off(&provider->random, &provider->link, now));
    provider_close(provider);
    if (!provider->is_told) provider->tells_loss = true;
    provider->is_told = true;
}

/* Waiting does not help. */
static void provider_end(sb_provider *provider, enum sb_error error, const char *detail, const char *more) {
    provider_note(provider, error, detail, more, SB_UNKNOWN);
    provider_close(provider);
    provider->link.at = NEVER;
    provider->has_ended = provider->tells_end = true;
}

static void provider_refused(sb_provider *provider, const struct feed_reply *reply, int64_t now) {
    static const struct {
        const char *name;
        enum sb_error error;
        bool is_final;
    } errors[] = {
        {FEED_INTERFACE "NotAllowed", SB_ERROR_NOT_PERMITTED, false},
        {FEED_INTERFACE "NameTaken", SB_ERROR_NAME_TAKEN, false},
        {FEED_INTERFACE "NoSuchKind", SB_ERROR_NO_SUCH_KIND, true},
        {FEED_INTERFACE "TooManyConnections", SB_ERROR_TOO_MANY_SUBSCRIPTIONS, false},
        {"org.varlink.service.PermissionDenied", SB_ERROR_NOT_PERMITTED, false},
        {"org.varlink.service.InvalidParameter", SB_ERROR_INVALID_REQUEST, true},
    };
    const char *detail = reply->resource ? reply->resource : "", *more = reply->reason;
    enum sb_error error = SB_ERROR_UNINTELLIGIBLE;
    char line[300];
    size_t i;
    for (i = 0; i < COUNT_OF(errors) && strcmp(reply->error, errors[i].name) != 0; i++) {}
    if (i < COUNT_OF(errors)) error = errors[i].error;
    if (error == SB_ERROR_UNINTELLIGIBLE) {
        detail = "it replied with an error that a broker does not have";
        more = reply->error;
    } else if (error == SB_ERROR_NAME_TAKEN) {
        more = reply->holder;
    } else if (error == SB_ERROR_NO_SUCH_KIND) {
        detail = reply->kind ? reply->kind : "";
    } else if (error == SB_ERROR_INVALID_REQUEST) {
        invalid_text(line, sizeof line, reply->parameter ? reply->parameter : "");
        detail = line;
    }
    if (i < COUNT_OF(errors) && errors[i].is_final)
        provider_end(provider, error, detail, more);
    else
        provider_lose(provider, error, detail, more, now);
}

static void provider_take(sb_provider *provider, const struct feed_reply *reply) {
    const struct sb_demand *was = &provider->demand, *is = &reply->demand;
    if (!provider->is_up || was->wanted != is->wanted || was->interval_ns != is->interval_ns || was->latency_ns != is->latency_ns)
        provider->tells_demand = true;
    provider->demand = *is;
    provider->takes_missing = reply->takes_missing;
    provider->is_up = true;
    provider->is_told = false;
    provider->failure.error = SB_OK;
    provider->answer_by = NEVER;
    retry_reset(&provider->link);
    if (reply->refusal.reason) {
        size_t length = strlen(reply->refusal.reason);
        /* Not within a character. */
        if (length >= sizeof provider->reason)
            for (length = sizeof provider->reason - 1; length > 0 && (reply->refusal.reason[length] & 0xC0) == 0x80; length--) {}
        memcpy(provider->reason, reply->refusal.reason, length);
        provider->reason[length] = 0;
        provider->refusal.count = plus(provider->tells_refusal ? provider->refusal.count : 0, reply->refusal.count);
        provider->tells_refusal = true;
    }
}

static void provider_hear(sb_provider *provider, char *message, int64_t now) {
    struct feed_reply reply;
    struct reader reader;
    arena_reset(&provider->arena);
    reader.at = message;
    reader.arena = &provider->arena;
    reader.locale = provider->locale;
    reader.fault = reader.field = NULL;
    reader.depth = reader.keys = reader.unknown_count = 0;
    if (!read_feed_reply(&reader, &reply)) {
        provider_lose(provider, SB_ERROR_UNINTELLIGIBLE, reader.fault ? reader.fault : "its reply is wrong", reader.field, now);
    } else if (reply.error) {
        provider_refused(provider, &reply, now);
    } else if (!reply.continues) {
        provider_lose(provider, SB_ERROR_DISCONNECTED, "", NULL, now);
    } else {
        provider_take(provider, &reply);
    }
}

/* Hears what has come. */
static void provider_listen(sb_provider *provider, int64_t now) {
    struct wire *wire = &provider->wire;
    unsigned count = 0;
    char *message;
    wire->drained = false;
    provider->has_more = false;
    while (wire->fd >= 0) {
        int found = wire_message(wire, &message);
        if (found > 0) {
            provider_hear(provider, message, now);
            if (++count < MESSAGES_PER_TURN) continue;
            provider->has_more = wire->fd >= 0;
            return;
        }
        if (found < 0) {
            provider_lose(provider, SB_ERROR_UNINTELLIGIBLE, "its reply is too long", NULL, now);
            return;
        }
        if (wire->drained) return;
        found = wire_receive(wire);
        if (found == 0) return;
        if (found < 0) {
            bool memory = errno == ENOMEM;
            provider_lose(provider, memory ? SB_ERROR_SYSTEM : SB_ERROR_DISCONNECTED, memory ? "memory" : "", NULL, now);
        }
    }
}

/* Has the descriptor be readable when there is room in the socket, or not. */
static void provider_await_room(sb_provider *provider, bool is_sending) {
    struct epoll_event event;
    if (is_sending == provider->is_sending) return;
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN | EPOLLRDHUP;
    if (is_sending) event.events |= EPOLLOUT;
    (void)epoll_ctl(provider->epoll, EPOLL_CTL_MOD, provider->wire.fd, &event);
    provider->is_sending = is_sending;
}

/* Sends what fits of the calls; false: nothing of them did, and they are given up. */
static bool provider_send(sb_provider *provider, int64_t now) {
    size_t whole = provider->push.length;
    if (!whole) return true;
    while (provider->sent < whole) {
        const char *rest = provider->push.bytes + provider->sent;
        ssize_t count = send(provider->wire.fd, rest, whole - provider->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) {
            provider->sent += (size_t)count;
        } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (provider->sent > 0) {
                provider_await_room(provider, true);
                return true;
            }
            provider->push.length = 0;
            return false;
        } else if (errno != EINTR) {
            bool has_begun = provider->sent > 0;
            if (!has_begun) provider->push.length = 0;
            /* It may have said why before it closed the connection. */
            provider_listen(provider, now);
            if (provider->wire.fd >= 0 && !provider->has_more) provider_lose(provider, SB_ERROR_DISCONNECTED, "", NULL, now);
            return has_begun || !provider->is_up;
        }
    }
    provider->push.length = provider->sent = 0;
    provider_await_room(provider, false);
    if (provider->push.room > KEPT_BYTES) {
        free(provider->push.bytes);
        memset(&provider->push, 0, sizeof provider->push);
    }
    return true;
}

/* Waits until the rest is sent, as long as the broker may take for it; a child of fork() leaves that to its parent. */
static void provider_finish(sb_provider *provider) {
    int64_t until = plus(sb_now_ns(), FINISH_NS), now;
    if (provider->wire.owner != getpid()) return;
    while (provider->push.length && (now = sb_now_ns()) < until) {
        struct pollfd room;
        room.fd = provider->wire.fd;
        room.events = POLLOUT;
        room.revents = 0;
        (void)poll(&room, 1, (int)((until - now + 999999) / 1000000));
        (void)provider_send(provider, sb_now_ns());
    }
    provider->dropped = plus(provider->dropped, (int64_t)unsent_times(provider));
}

static void provider_connect(sb_provider *provider, int64_t now) {
    char detail[400];
    enum sb_error error = dial(provider->path, true, &provider->wire, &provider->call, detail, sizeof detail);
    provider->link.at = NEVER;
    if (error == SB_OK && !watch(provider->epoll, &provider->wire, CALL_STREAM)) {
        (void)snprintf(detail, sizeof detail, "epoll_ctl: %s", strerror(errno));
        error = SB_ERROR_SYSTEM;
    }
    provider->missing = 0;
    if (error == SB_OK)
        provider->answer_by = plus(now, ANSWER_NS);
    else if (error == SB_ERROR_INVALID_REQUEST)
        provider_end(provider, error, detail, NULL);
    else
        provider_lose(provider, error, detail, NULL, now);
}

/* Does what is due. */
static void provider_work(sb_provider *provider) {
    int64_t now = sb_now_ns();
    provider_listen(provider, now);
    if (provider->wire.fd >= 0) (void)provider_send(provider, now);
    if (now >= provider->answer_by)
        provider_lose(provider, SB_ERROR_DISCONNECTED, "the broker does not answer; the library connects again", NULL, now);
    if (provider->wire.fd < 0 && now >= provider->link.at && !provider->has_ended) provider_connect(provider, now);
}

/* After the work: when there is more to do. */
static void provider_rest(sb_provider *provider) {
    bool has_news = provider->tells_refusal || provider->tells_loss || provider->tells_end || provider->tells_demand;
    arm(provider->timer, &provider->timer_at, has_news || provider->has_more ? 1 : earlier(provider->link.at, provider->answer_by));
}

/* ---- Calls with samples */

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Bytes of words, little-endian, as base64 in quotes. */
struct packing {
    struct text *text;
    uint32_t bits;
    unsigned count; /* of bytes that wait, 0 to 2 */
};

static void pack_digits(struct packing *packing, unsigned count) {
    char digits[4];
    unsigned i;
    for (i = 0; i < 4; i++) digits[i] = i < count ? base64_digits[packing->bits >> (18 - 6 * i) & 63] : '=';
    text_add(packing->text, digits, 4);
    packing->bits = packing->count = 0;
}

static void pack_word(struct packing *packing, uint32_t word) {
    int i;
    for (i = 0; i < 4; i++, word >>= 8) {
        packing->bits |= (word & 0xFF) << (16 - 8 * packing->count);
        if (++packing->count == 3) pack_digits(packing, 4);
    }
}

static void pack_end(struct packing *packing) {
    if (packing->count) pack_digits(packing, packing->count + 1);
    text_plain(packing->text, "\"");
}

static struct packing pack_begin(struct text *text) {
    struct packing packing = {text, 0, 0};
    text_plain(text, "\"");
    return packing;
}

/* A column of the rows. */
static void text_column(sb_provider *provider, const struct sb_samples *samples, size_t from, size_t count, size_t column) {
    struct text *text = &provider->push;
    size_t row, stride = provider->channel_count;
    if (samples->floats) {
        struct packing packing = pack_begin(text);
        for (row = from; row < from + count; row++) {
            uint32_t bits;
            memcpy(&bits, &samples->floats[row * stride + column], sizeof bits);
            pack_word(&packing, bits);
        }
        pack_end(&packing);
        return;
    }
    for (row = from; row < from + count; row++) {
        text_plain(text, row > from ? "," : "[");
        text_number(text, samples->doubles[row * stride + column], provider->locale);
    }
    text_plain(text, "]");
}

/* The times of several rows. */
static void text_times(struct text *text, const struct sb_samples *samples, const int64_t *stamps, size_t count) {
    bool fit = samples->floats != NULL;
    size_t row;
    if (!stamps) {
        text_plain(text, ",\"periodNanoseconds\":");
        text_integer(text, samples->period_ns);
        return;
    }
    for (row = 1; row < count && fit; row++)
        fit = stamps[row] >= stamps[row - 1] && stamps[row] - stamps[row - 1] <= (int64_t)UINT32_MAX;
    if (fit) {
        struct packing packing;
        text_plain(text, ",\"packedStepsNanoseconds\":");
        packing = pack_begin(text);
        for (row = 1; row < count; row++) pack_word(&packing, (uint32_t)(stamps[row] - stamps[row - 1]));
        pack_end(&packing);
        return;
    }
    for (row = 0; row < count; row++) {
        text_plain(text, row ? "," : ",\"timestampsNanoseconds\":[");
        text_integer(text, stamps[row]);
    }
    text_plain(text, "]");
}

static void text_known(struct text *text, const struct field *fields, size_t count, const void *base, locale_t locale) {
    size_t i;
    for (i = 0; i < count; i++) {
        const void *place = (const char *)base + fields[i].offset;
        bool is_known = (fields[i].form == INTEGER && *(const int64_t *)place != SB_UNKNOWN)
            || (fields[i].form == NUMBER && !isnan(*(const double *)place))
            || (fields[i].form == TEXT && !fields[i].required && *(const char *const *)place);
        if (!is_known) continue;
        text_plain(text, ",\"");
        text_plain(text, fields[i].name);
        text_plain(text, "\":");
        if (fields[i].form == INTEGER)
            text_integer(text, *(const int64_t *)place);
        else if (fields[i].form == NUMBER)
            text_number(text, *(const double *)place, locale);
        else
            text_quoted(text, *(const char *const *)place);
    }
}

static void text_location(struct text *text, const struct sb_location *location, locale_t locale) {
    struct location_form form;
    size_t i;
    memset(&form, 0, sizeof form);
    form.location = *location;
    text_plain(text, ",\"location\":{\"fix\":");
    text_plain(text, location->fix == SB_FIX_3D ? "\"3d\"" : location->fix == SB_FIX_2D ? "\"2d\"" : "\"none\"");
    text_known(text, location_fields, COUNT_OF(location_fields), &form, locale);
    if (location->satellites) {
        text_plain(text, ",\"satellites\":[");
        for (i = 0; i < location->satellite_count; i++) {
            const struct sb_satellite *satellite = &location->satellites[i];
            text_plain(text, i ? ",{\"used\":" : "{\"used\":");
            text_plain(text, satellite->used ? "true" : "false");
            text_known(text, satellite_fields, COUNT_OF(satellite_fields), satellite, locale);
            text_plain(text, "}");
        }
        text_plain(text, "]");
    }
    text_plain(text, "}");
}

/* What is wrong with what is to be told of a location or a satellite. */
static const char *fault_of_known(const struct field *fields, size_t count, const void *base) {
    size_t i;
    for (i = 0; i < count; i++) {
        const void *place;
        /* Those of the form alone are elsewhere. */
        if (fields[i].required || fields[i].form == OTHER) continue;
        place = (const char *)base + fields[i].offset;
        if (fields[i].form == NUMBER && isinf(*(const double *)place)) return "a number is not finite: what is not known is NaN";
        if (fields[i].form == TEXT && *(const char *const *)place && !is_utf8(*(const char *const *)place)) return "a text is not UTF-8";
    }
    return NULL;
}

/* What is wrong with samples; NULL if nothing is. */
static const char *fault_of(const sb_provider *provider, const struct sb_samples *samples, size_t count) {
    size_t i, numbers = count * provider->channel_count;
    if (count > MOST_NUMBERS || numbers > MOST_NUMBERS) return "these are too many samples for one push: push fewer at once";
    if (provider->has_location != (samples->location != NULL))
        return provider->has_location ? "the location is missing" : "no location was offered";
    if (samples->location && count != 1) return "a location goes with a count of 1";
    if (numbers && !samples->doubles == !samples->floats) return "set one of doubles and floats";
    if (samples->period_ns < 0 || (count > 1 && !samples->timestamps_ns && !samples->period_ns))
        return "several samples need a period or timestamps";
    if (samples->timestamp_ns < 0) return "the timestamp is negative";
    for (i = 0; i < numbers; i++)
        if (!isfinite(samples->doubles ? samples->doubles[i] : (double)samples->floats[i]))
            return "a number is not finite: what was not measured is not pushed";
    if (samples->location) {
        const struct sb_location *location = samples->location;
        const char *fault = fault_of_known(location_fields, COUNT_OF(location_fields), location);
        for (i = 0; location->satellites && i < location->satellite_count && !fault; i++)
            fault = fault_of_known(satellite_fields, COUNT_OF(satellite_fields), &location->satellites[i]);
        return fault;
    }
    return NULL;
}

/* Writes a call with some of the rows; the instant of the first one is 0 if it is not known. */
static void write_call(sb_provider *provider, const struct sb_samples *samples, size_t from, size_t count, int64_t first) {
    struct text *text = &provider->push;
    size_t i, k, column = 0;
    text_plain(text, "{\"method\":\"" FEED_INTERFACE "Push\",\"parameters\":{");
    if (provider->missing && provider->takes_missing && !from) {
        text_plain(text, "\"missing\":");
        text_integer(text, provider->missing);
        text_plain(text, ",");
    }
    text_plain(text, "\"samples\":[");
    for (i = 0; i < provider->lot_count; i++) {
        const struct lot *lot = &provider->lots[i];
        if (i) text_plain(text, ",");
        text_plain(text, lot->head);
        if (first) {
            text_plain(text, ",\"timestampNanoseconds\":");
            text_integer(text, first);
        }
        if (!lot->channel_count) {
            text_location(text, samples->location, provider->locale);
        } else {
            text_plain(text, samples->floats ? ",\"values\":{\"packed\":{" : ",\"values\":{\"columns\":{");
            for (k = 0; k < lot->channel_count; k++) {
                if (k) text_plain(text, ",");
                text_plain(text, lot->channels[k]);
                text_column(provider, samples, from, count, column++);
            }
            text_plain(text, "}");
            if (count > 1) text_times(text, samples, samples->timestamps_ns ? samples->timestamps_ns + from : NULL, count);
            text_plain(text, "}");
        }
        text_plain(text, "}");
    }
    text_plain(text, "]},\"oneway\":true}");
    text_add(text, "", 1);
}

/* Writes all rows, in as few calls as may carry them; false: one time alone is too long. */
static bool write_push(sb_provider *provider, const struct sb_samples *samples, size_t count) {
    /* A number has at most 25 bytes, packed 16 thirds; so has the time that each resource has of a row. */
    size_t per_row = samples->floats ? 6 * provider->channel_count : 26 * provider->channel_count;
    size_t fixed = 400 + provider->heads_length + provider->lot_count * 160, from = 0, rows;
    int64_t first = samples->timestamp_ns;
    if (samples->timestamps_ns) per_row += 21 * provider->lot_count;
    rows = fixed < CALL_BYTES && per_row ? (CALL_BYTES - fixed) / per_row : 0;
    if (!rows) rows = 1;
    provider->pushed = count;
    provider->pushed_per_call = rows;
    /* The last of several calls arrives after the others. */
    if (!first && count > rows) first = sb_now_ns() - times((int64_t)count - 1, samples->period_ns);
    for (; from < count; from += rows) {
        size_t start = provider->push.length;
        if (samples->timestamps_ns) first = samples->timestamps_ns[from];
        write_call(provider, samples, from, count - from < rows ? count - from : rows, first);
        if (provider->push.length - start > CALL_BYTES) return false;
        if (first) first = plus(first, times((int64_t)rows, samples->period_ns));
    }
    return true;
}

static enum sb_error provider_refuse(sb_provider *provider, enum sb_error error, const char *text) {
    provider->last_failure.error = error;
    provider->last_failure.text = text;
    provider->last_failure.reason = NULL;
    provider->last_failure.retry_ns = SB_UNKNOWN;
    return error;
}

static enum sb_error provider_drop(sb_provider *provider, size_t count) {
    provider->dropped = plus(provider->dropped, (int64_t)count);
    provider->missing = plus(provider->missing, (int64_t)count);
    return provider_refuse(provider, SB_ERROR_BROKER_BUSY, "the broker reads too slowly: samples were dropped");
}

enum sb_error sb_provider_push(sb_provider *provider, const struct sb_samples *samples) {
    size_t count = samples->count ? samples->count : 1;
    const char *fault;
    enum sb_error error = SB_OK;
    provider_work(provider);
    if (!provider->is_up) {
        error = provider->failure.error;
        if (error != SB_OK) provider->last_failure = provider->failure;
    } else if ((fault = fault_of(provider, samples, count)) != NULL) {
        error = provider_refuse(provider, SB_ERROR_INVALID_REQUEST, fault);
    } else if (provider->demand.wanted && provider->push.length) {
        error = provider_drop(provider, count);
    } else if (provider->demand.wanted) {
        bool fits = write_push(provider, samples, count);
        if (provider->push.failed) {
            free(provider->push.bytes);
            memset(&provider->push, 0, sizeof provider->push);
            error = provider_refuse(provider, SB_ERROR_SYSTEM, "the system refused memory");
        } else if (!fits) {
            provider->push.length = 0;
            error = provider_refuse(provider, SB_ERROR_INVALID_REQUEST,
                "the samples of one time are too long for a call: leave satellites out");
        } else if (!provider_send(provider, sb_now_ns())) {
            error = provider_drop(provider, count);
        } else if (!provider->is_up) {
            provider->last_failure = provider->failure;
            error = provider->failure.error;
        } else {
            provider->missing = 0;
        }
    }
    provider_rest(provider);
    return error;
}

/* ---- The provision */

/* A text in quotes, with others around it, in the memory of the lots. */
static const char *keep_quoted(sb_provider *provider, const char *before, const char *words, size_t length, const char *after) {
    struct text text = {NULL, 0, 0, false};
    char name[NAME_BYTES + 1], *copy = NULL;
    if (length >= sizeof name) return NULL;
    memcpy(name, words, length);
    name[length] = 0;
    text_plain(&text, before);
    text_quoted(&text, name);
    text_plain(&text, after);
    if (!text.failed) copy = (char *)arena_take(&provider->kept, text.length + 1);
    if (copy) memcpy(copy, text.bytes, text.length + 1);
    free(text.bytes);
    return copy;
}

/* Splits the words of an offer's channels; false if there is no memory. */
static bool keep_channels(sb_provider *provider, struct lot *lot, const char *words) {
    const char **channels = (const char **)arena_take(&provider->kept, MOST_CHANNELS * sizeof *channels);
    if (!channels) return false;
    for (words += strspn(words, " "); *words && lot->channel_count < MOST_CHANNELS; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        channels[lot->channel_count] = keep_quoted(provider, "", words, length, ":");
        if (!channels[lot->channel_count]) return false;
        lot->channel_count++;
        words += length;
    }
    lot->channels = channels;
    return true;
}

static const char *fault_of_provision(const struct sb_provision *provision) {
    size_t i, locations = 0;
    if (!provision->offers || !provision->offer_count || provision->offer_count > MOST_OFFERS)
        return "a provider has 1 to 64 offers";
    for (i = 0; i < provision->offer_count; i++) {
        const struct sb_offer *offer = &provision->offers[i];
        const char *words = offer->channels;
        size_t count = 0;
        if (!is_name(offer->name) || (offer->kind && !is_name(offer->kind)))
            return "an offer has no name or an impossible one; name it as its kind, or with a suffix, such as 'accelerometer:arm'";
        if (!words) {
            if (locations++) return "a provider has one location at most";
            continue;
        }
        for (words += strspn(words, " "); *words; words += strspn(words, " "), count++) words += strcspn(words, " ");
        if (!count || count > MOST_CHANNELS || !is_name(offer->channels))
            return "the channels of an offer are 1 to 16 names with spaces between them, such as \"x y z\"; NULL is a location";
    }
    if (provision->interval_count > 256 || (provision->interval_count && !provision->intervals_ns))
        return "there are 256 intervals at most";
    for (i = 0; i < provision->interval_count; i++)
        if (provision->intervals_ns[i] <= (i ? provision->intervals_ns[i - 1] : 0)) return "the intervals do not ascend";
    if (provision->interval_ns < 0 || provision->rest_ns < 0 || provision->shortest_ns < 0
        || provision->longest_ns < provision->shortest_ns)
        return "a time is negative, or the longest interval shorter than the shortest";
    if (provision->description && !is_utf8(provision->description)) return "the description is not UTF-8";
    return NULL;
}

static void text_optional(struct text *call, const char *name, int64_t value) {
    if (!value) return;
    text_plain(call, name);
    text_integer(call, value);
}

static void write_provide(struct text *call, const struct sb_provision *provision) {
    size_t i;
    text_plain(call, "{\"method\":\"" FEED_INTERFACE "Provide\",\"parameters\":{\"resources\":[");
    for (i = 0; i < provision->offer_count; i++) {
        text_plain(call, i ? ",{\"name\":" : "{\"name\":");
        text_quoted(call, provision->offers[i].name);
        if (provision->offers[i].kind) {
            text_plain(call, ",\"kind\":");
            text_quoted(call, provision->offers[i].kind);
        }
        text_plain(call, "}");
    }
    text_plain(call, "]");
    if (provision->description) {
        text_plain(call, ",\"description\":");
        text_quoted(call, provision->description);
    }
    for (i = 0; i < provision->interval_count; i++) {
        text_plain(call, i ? "," : ",\"intervalsNanoseconds\":[");
        text_integer(call, provision->intervals_ns[i]);
    }
    if (provision->interval_count) text_plain(call, "]");
    text_optional(call, ",\"shortestNanoseconds\":", provision->shortest_ns);
    text_optional(call, ",\"longestNanoseconds\":", provision->longest_ns);
    text_optional(call, ",\"intervalNanoseconds\":", provision->interval_ns);
    text_optional(call, ",\"restNanoseconds\":", provision->rest_ns);
    if (provision->simulated) text_plain(call, ",\"simulated\":true");
    text_plain(call, "},\"more\":true}");
}

/* Takes in a provision without a fault; false if there is no memory. */
static bool keep_provision(sb_provider *provider, const struct sb_provision *provision) {
    size_t i, k;
    provider->lots = (struct lot *)arena_take(&provider->kept, provision->offer_count * sizeof *provider->lots);
    if (!provider->lots) return false;
    provider->lot_count = provision->offer_count;
    memset(provider->lots, 0, provision->offer_count * sizeof *provider->lots);
    for (i = 0; i < provision->offer_count; i++) {
        const struct sb_offer *offer = &provision->offers[i];
        struct lot *lot = &provider->lots[i];
        lot->head = keep_quoted(provider, "{\"resource\":", offer->name, strlen(offer->name), "");
        if (!lot->head || (offer->channels && !keep_channels(provider, lot, offer->channels))) return false;
        if (!offer->channels) provider->has_location = true;
        provider->channel_count += lot->channel_count;
        provider->heads_length += strlen(lot->head);
        for (k = 0; k < lot->channel_count; k++) provider->heads_length += strlen(lot->channels[k]) + 4;
    }
    write_provide(&provider->call, provision);
    return !provider->call.failed;
}

sb_provider *sb_provide(const char *socket_path, const struct sb_provision *provision) {
    sb_provider *provider = (sb_provider *)calloc(1, sizeof *provider);
    const char *fault = fault_of_provision(provision);
    struct epoll_event event;
    int code;
    if (!provider) return NULL;
    provider->epoll = provider->timer = -1;
    provider->wire.fd = provider->wire.epoll = -1;
    provider->timer_at = NEVER;
    provider_close(provider);
    provider->random = (uint64_t)sb_now_ns() ^ (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)provider;
    if (!provider->random) provider->random = 1;
    provider->failure.retry_ns = SB_UNKNOWN;
    (void)provider_refuse(provider, SB_OK, "nothing failed");
    provider->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    provider->epoll = epoll_create1(EPOLL_CLOEXEC);
    provider->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN;
    if (socket_path) provider->path = strdup(socket_path);
    if ((socket_path && !provider->path) || provider->locale == (locale_t)0 || provider->epoll < 0 || provider->timer < 0
        || epoll_ctl(provider->epoll, EPOLL_CTL_ADD, provider->timer, &event) != 0) {
        code = errno;
        sb_provider_close(provider);
        errno = code;
        return NULL;
    }
    if (!fault && !keep_provision(provider, provision)) {
        sb_provider_close(provider);
        errno = ENOMEM;
        return NULL;
    }
    if (!fault && provider->call.length >= CALL_BYTES)
        fault = "the offers and their description take more than 65,536 bytes, the most of a call: shorten them";
    if (fault) provider_end(provider, SB_ERROR_INVALID_REQUEST, fault, NULL);
    /* Something is due at once: to connect, or to tell the fault. */
    arm(provider->timer, &provider->timer_at, 1);
    return provider;
}

int64_t sb_provider_close(sb_provider *provider) {
    int64_t dropped;
    if (!provider) return 0;
    provider_finish(provider);
    dropped = provider->dropped;
    wire_free(&provider->wire);
    arena_free(&provider->arena);
    arena_free(&provider->kept);
    free(provider->call.bytes);
    free(provider->push.bytes);
    free(provider->path);
    if (provider->timer >= 0) (void)close(provider->timer);
    if (provider->epoll >= 0) (void)close(provider->epoll);
    if (provider->locale != (locale_t)0) freelocale(provider->locale);
    free(provider);
    return dropped;
}

int sb_provider_fd(const sb_provider *provider) { return provider->epoll; }

const struct sb_demand *sb_provider_demand(const sb_provider *provider) { return &provider->demand; }

const struct sb_failure *sb_provider_outage(const sb_provider *provider) {
    return provider->failure.error == SB_OK ? NULL : &provider->failure;
}

const struct sb_failure *sb_provider_last_failure(const sb_provider *provider) { return &provider->last_failure; }

int64_t sb_provider_dropped(const sb_provider *provider) { return provider->dropped; }

/* Takes the next event of those that wait, each of which was kept once at most. */
static const struct sb_provider_event *take_provider_event(sb_provider *provider) {
    memset(&provider->event, 0, sizeof provider->event);
    if (provider->tells_refusal) {
        provider->tells_refusal = false;
        provider->told_refusal.count = provider->refusal.count;
        provider->told_refusal.reason = provider->reason;
        provider->event.type = SB_PROVIDER_REFUSAL;
        provider->event.refusal = &provider->told_refusal;
    } else if (provider->tells_loss) {
        provider->tells_loss = false;
        provider->event.type = SB_PROVIDER_LOST;
        provider->event.failure = &provider->failure;
    } else if (provider->tells_end) {
        provider->tells_end = false;
        provider->event.type = SB_PROVIDER_ENDED;
        provider->event.failure = &provider->failure;
    } else if (provider->tells_demand) {
        provider->tells_demand = false;
        provider->event.type = SB_PROVIDER_DEMAND;
        provider->event.demand = &provider->demand;
    } else {
        return NULL;
    }
    return &provider->event;
}

const struct sb_provider_event *sb_provider_next(sb_provider *provider, int timeout_ms) {
    int64_t until = timeout_ms > 0 ? plus(sb_now_ns(), (int64_t)timeout_ms * 1000000) : 0;
    for (;;) {
        const struct sb_provider_event *event = take_provider_event(provider);
        if (event) return event;
        provider_work(provider);
        event = take_provider_event(provider);
        if (event) return event;
        provider_rest(provider);
        if (!await_readable(provider->epoll, timeout_ms, until)) return NULL;
    }
}
