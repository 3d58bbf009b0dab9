/*
 * Unit tests of the library, by its own names: what it takes for a reply and what it refuses, how it decodes, what it sends, and
 * how it behaves with a broker that the test plays on a real socket, without threads and without waiting.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* Memory is counted, and can be refused. */
static long allocations, refuse_after = -1;

static bool is_refused(void);
static void *counted_malloc(size_t size);
static void *counted_calloc(size_t count, size_t size);
static void *counted_realloc(void *old, size_t size);
static char *counted_strdup(const char *text);
/*
 * At most 50 ms pass between two looks at a clock: where the host was busy with other things, no broker was silent. A test may
 * have a fixed time pass instead.
 */
static long long look_ns;
/* What takes the processor away right after the next look at the wall clock. */
static long long interruption_ns;
static int patient_clock(clockid_t clock, struct timespec *now);

/* How many texts were compared. */
static long comparisons;
static int counted_strcmp(const char *one, const char *other);

#define clock_gettime(clock, now) patient_clock(clock, now)
#undef strcmp
#define strcmp(one, other) counted_strcmp(one, other)
#define malloc(size) counted_malloc(size)
#define calloc(count, size) counted_calloc(count, size)
#define realloc(old, size) counted_realloc(old, size)
#undef strdup
#define strdup(text) counted_strdup(text)
#include "../sensorbroker.c"
#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef clock_gettime
#undef strcmp

static int counted_strcmp(const char *one, const char *other) {
    comparisons++;
    return strcmp(one, other);
}

static bool is_refused(void) {
    allocations++;
    if (refuse_after < 0) return false;
    if (refuse_after == 0) return true;
    refuse_after--;
    return false;
}
static void *counted_malloc(size_t size) { return is_refused() ? NULL : malloc(size); }
static void *counted_calloc(size_t count, size_t size) { return is_refused() ? NULL : calloc(count, size); }
static void *counted_realloc(void *old, size_t size) { return is_refused() ? NULL : realloc(old, size); }
static char *counted_strdup(const char *text) { return is_refused() ? NULL : strdup(text); }

static int patient_clock(clockid_t clock, struct timespec *now) {
    enum { MOST_NS = 50000000 };
    static long long skipped[16], latest[16], interrupted;
    long long time;
    if (clock_gettime(clock, now) != 0) return -1;
    time = now->tv_sec * 1000000000LL + now->tv_nsec + interrupted;
    if (clock == CLOCK_REALTIME) {
        interrupted += interruption_ns;
        interruption_ns = 0;
    }
    if (latest[clock] && look_ns > 0) skipped[clock] += time - latest[clock] - look_ns;
    else if (latest[clock] && time - latest[clock] > MOST_NS) skipped[clock] += time - latest[clock] - MOST_NS;
    latest[clock] = time;
    time -= skipped[clock];
    now->tv_sec = (time_t)(time / 1000000000);
    now->tv_nsec = (long)(time % 1000000000);
    return 0;
}

static int failures, checks;
static const char *test_name = "";

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(bool holds, const char *what, int line) {
    checks++;
    if (holds) return;
    failures++;
    printf("unit.c:%d: %s: not so: %s\n", line, test_name, what);
}

/* ---- Decoding */

static struct arena test_arena;
static char *test_message;
static const char *test_fault;

/* Decodes a text as a reply; the structures are valid until the next one. */
static bool read_as_reply(const char *text, struct reply *reply) {
    static locale_t locale;
    struct reader *reader = (struct reader *)calloc(1, sizeof *reader);
    bool is_good;
    if (!locale) locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    arena_reset(&test_arena);
    free(test_message);
    /* Exactly as long as it is: the address sanitizer sees a byte too many. */
    test_message = (char *)malloc(strlen(text) + 1);
    memcpy(test_message, text, strlen(text) + 1);
    reader->at = test_message;
    reader->arena = &test_arena;
    reader->locale = locale;
    is_good = read_reply(reader, reply);
    test_fault = reader->fault;
    CHECK(is_good == (reader->fault == NULL));
    free(reader);
    return is_good;
}

#define READING(more) "{\"parameters\":{\"readings\":[{\"resource\":\"r\",\"sequence\":1,\"timestampNanoseconds\":1000" more "}]}}"
#define VALUES(values) READING(",\"values\":" values)
#define UNKNOWN_VALUE(value) "{\"parameters\":{\"tomorrow\":" value "}}"

static void test_what_is_a_reply(void) {
    static const char *const good[] = {
        "{}",
        " \t\r\n{ } ",
        "{\"parameters\":{}}",
        "{\"parameters\":null}",
        "{\"parameters\":{},\"continues\":true}",
        "{\"continues\":false,\"parameters\":{}}",
        "{\"error\":\"a.b.C\"}",
        "{\"error\":\"a.b.C\",\"parameters\":{\"resource\":\"x\",\"limit\":-3}}",
        "{\"org.example.more\":{\"a\":[1,{\"b\":null}]},\"parameters\":{}}",
        UNKNOWN_VALUE("[[[[[[[[[[[[[[1]]]]]]]]]]]]]]"),
        UNKNOWN_VALUE("\"\\u00e4\\ud83d\\ude00\\n\\/\\\"\""),
        UNKNOWN_VALUE("[true,false,null,-0,0.5,1e5,-1E-5,123456789012345678901234567890]"),
        UNKNOWN_VALUE("\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""),
        VALUES("{\"columns\":{\"x\":[1.0,2]},\"periodNanoseconds\":5}"),
        VALUES("{\"columns\":{\"x\":[1.0]}}"),
        VALUES("{\"columns\":{\"x\":[1.0,2],\"y\":[3,4]},\"timestampsNanoseconds\":[1000,1001]}"),
        READING(""),
        READING(",\"label\":null,\"orientation\":\"normal\""),
    };
    static const char *const bad[] = {
        "", " ", "[]", "1", "null", "\"x\"", "{", "}", "{\"parameters\"}", "{\"parameters\":}", "{\"parameters\":{}", "{} {}", "{}x",
        "{\"parameters\":[]}", "{\"parameters\":1}", "{\"error\":1}", "{\"error\":{}}", "{\"continues\":1}", "{\"continues\":null}",
        "{\"error\":\"a.b.C\",\"continues\":true}", "{\"parameters\":{},}", "{,}", "{\"parameters\":{},\"parameters\":{}}",
        "{parameters:{}}", "{'parameters':{}}",
        UNKNOWN_VALUE("[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]"), UNKNOWN_VALUE("[1,]"), UNKNOWN_VALUE("[1 2]"), UNKNOWN_VALUE("[,1]"),
        UNKNOWN_VALUE("{\"a\":1,\"a\":2}"), UNKNOWN_VALUE("{\"a\":1,\"\\u0061\":2}"), UNKNOWN_VALUE("{\"a\" 1}"),
        "{\"parameters\":{\"tomorrow\":1,\"other\":2,\"tomorrow\":1}}",
        UNKNOWN_VALUE("01"), UNKNOWN_VALUE("-"), UNKNOWN_VALUE("+1"), UNKNOWN_VALUE("1."), UNKNOWN_VALUE(".5"), UNKNOWN_VALUE("1e"),
        UNKNOWN_VALUE("1e+"), UNKNOWN_VALUE("1e999"), UNKNOWN_VALUE("-1e999"), UNKNOWN_VALUE("NaN"), UNKNOWN_VALUE("Infinity"),
        UNKNOWN_VALUE("0x10"), UNKNOWN_VALUE("tru"), UNKNOWN_VALUE("nul"), UNKNOWN_VALUE("True"), UNKNOWN_VALUE("truex"),
        UNKNOWN_VALUE("\"\n\""), UNKNOWN_VALUE("\"\\x\""), UNKNOWN_VALUE("\"\\u12\""), UNKNOWN_VALUE("\"\\u12g4\""),
        UNKNOWN_VALUE("\"\\ud800\""), UNKNOWN_VALUE("\"\\udc00\""), UNKNOWN_VALUE("\"\\ud800\\u0041\""), UNKNOWN_VALUE("\"\\u0000\""),
        UNKNOWN_VALUE("\"\xff\""), UNKNOWN_VALUE("\"\xc0\x80\""), UNKNOWN_VALUE("\"\xed\xa0\x80\""), UNKNOWN_VALUE("\"\xf4\x90\x80\x80\""),
        UNKNOWN_VALUE("\"\xe2\x82\""), UNKNOWN_VALUE("\"\xc3"), "{\"parameters\":{\"tomorrow\":\"", "{\"parameters\":{\"tomorrow\":\"\\",
        "\xef\xbb\xbf{}",
        "{\"parameters\":{\"revision\":1.0}}", "{\"parameters\":{\"revision\":9223372036854775808}}", "{\"parameters\":{\"revision\":\"1\"}}",
        "{\"parameters\":{\"readings\":{}}}", "{\"parameters\":{\"readings\":[{}]}}", "{\"parameters\":{\"readings\":[null]}}",
        "{\"parameters\":{\"grants\":[{\"resource\":\"r\",\"intervalNanoseconds\":-5,\"batchNanoseconds\":0}]}}",
        READING(",\"sequence\":2"), READING(",\"location\":{}"), READING(",\"location\":{\"fix\":\"3d\",\"latitudeDegrees\":\"1\"}"),
        READING(",\"orientation\":5"),
        VALUES("{}"), VALUES("{\"columns\":{}}"), VALUES("{\"columns\":{\"x\":[]}}"), VALUES("{\"columns\":{\"x\":[1],\"y\":[1,2]}}"),
        VALUES("{\"columns\":{\"x\":[1],\"x\":[2]}}"), VALUES("{\"columns\":{\"x\":[null]}}"), VALUES("{\"columns\":{\"x\":[\"1\"]}}"),
        VALUES("{\"columns\":{\"x\":[1,2]},\"timestampsNanoseconds\":[1]}"), VALUES("{\"columns\":{\"x\":[1]},\"timestampsNanoseconds\":[1.5]}"),
        VALUES("{\"columns\":{\"x\":[1,2,3]},\"periodNanoseconds\":4611686018427387904}"), VALUES("{\"columns\":{\"x\":[1,2]},\"periodNanoseconds\":-1}"),
        VALUES("{\"packed\":{\"x\":\"AAAA\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAAA=\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAA===\"}}"),
        VALUES("{\"packed\":{\"x\":\"AAAA*A==\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAAB==\"}}"), VALUES("{\"packed\":{\"x\":\"AACAfw==\"}}"),
        VALUES("{\"packed\":{\"x\":\"AADAfw==\"}}"), VALUES("{\"packed\":{\"x\":\"====AAAA\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAAA==AAAAAA==\"}}"),
        VALUES("{\"packed\":{\"x\":\"AAAAAA==\",\"y\":\"AAAAAAAAAAA=\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAAAAAAAA=\"},\"packedStepsNanoseconds\":\"\"}"),
        VALUES("{\"packed\":{\"x\":\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}}"),
        READING(",\"aligned\":[{\"resource\":\"b\",\"alignment\":\"exact\",\"columns\":{\"x\":[1,2]}}]"),
    };
    struct reply reply;
    size_t i;
    test_name = "what is a reply";
    for (i = 0; i < COUNT_OF(good); i++) {
        if (!read_as_reply(good[i], &reply)) printf("  refused (%s): %s\n", test_fault, good[i]);
        CHECK(read_as_reply(good[i], &reply));
    }
    for (i = 0; i < COUNT_OF(bad); i++) {
        if (read_as_reply(bad[i], &reply)) printf("  not refused: %s\n", bad[i]);
        CHECK(!read_as_reply(bad[i], &reply));
    }
}

static double one_number(const char *text) {
    char message[200];
    struct reply reply;
    (void)snprintf(message, sizeof message, VALUES("{\"columns\":{\"x\":[%s]}}"), text);
    if (!read_as_reply(message, &reply)) return NAN;
    return ((const struct sb_reading *)reply.readings.items)->columns[0].doubles[0];
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void test_numbers_are_correctly_rounded(void) {
    static const char *const texts[] = {
        "0", "-0.0", "1", "9007199254740993", "9007199254740992.0", "0.1", "1e22", "1e23", "1e-22", "1e-23", "123456789012345678",
        "52.474188139199995", "13.400954116099996", "2.2250738585072011e-308", "4.9e-324", "1e-400", "1.7976931348623157e308",
        "0.000000000000000000000000000000000000000000001", "179769313486231570000000000000000000000e270", "18446744073709551615",
        "18446744073709551616", "0.30000000000000004", "3.14159265358979323846264338327950288419716939937510",
    };
    char text[64];
    double expected;
    size_t i;
    int round;
    test_name = "numbers are correctly rounded";
    for (i = 0; i < COUNT_OF(texts); i++) {
        double value = one_number(texts[i]);
        expected = strtod(texts[i], NULL);
        if (memcmp(&expected, &value, sizeof value) != 0) printf("  %s\n", texts[i]);
        CHECK(memcmp(&expected, &value, sizeof value) == 0);
    }
    for (round = 0; round < 20000; round++) {
        int digits = (int)(random_bits() % 19);
        double value = ((double)(int64_t)random_bits()) / 1e18 * pow(10, (double)(random_bits() % 40) - 20);
        (void)snprintf(text, sizeof text, round % 2 ? "%.*g" : "%.*e", digits, value);
        expected = strtod(text, NULL);
        value = one_number(text);
        if (memcmp(&expected, &value, sizeof value) != 0) printf("  %s\n", text);
        CHECK(memcmp(&expected, &value, sizeof value) == 0);
    }
}

/* ---- Packed columns */

static void base64(const unsigned char *bytes, size_t count, char *into) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t i;
    for (i = 0; i < count; i += 3) {
        unsigned group = (unsigned)bytes[i] << 16 | (i + 1 < count ? (unsigned)bytes[i + 1] << 8 : 0) | (i + 2 < count ? bytes[i + 2] : 0);
        *into++ = digits[group >> 18];
        *into++ = digits[group >> 12 & 63];
        *into++ = i + 1 < count ? digits[group >> 6 & 63] : '=';
        *into++ = i + 2 < count ? digits[group & 63] : '=';
    }
    *into = 0;
}

/* As on the wire: the low byte first, whatever the order of the host is. */
static void put_word(unsigned char *into, uint32_t word) {
    int i;
    for (i = 0; i < 4; i++) into[i] = (unsigned char)(word >> 8 * i);
}

static void test_packed_columns(void) {
    static unsigned char bytes[4 * 100], step_bytes[4 * 100];
    static float values[100];
    static char text[1000], message[4000];
    struct reply reply;
    size_t count, shift, i;
    test_name = "packed columns are decoded at any address";
    for (count = 1; count <= 100; count++) {
        for (shift = 0; shift < 4; shift++) {
            const struct sb_reading *reading;
            uint32_t steps[100];
            int64_t stamp = 1000;
            for (i = 0; i < count; i++) {
                uint32_t word;
                values[i] = (float)((double)(random_bits() % 2000000) / 1000 - 1000);
                memcpy(&word, &values[i], 4);
                put_word(bytes + 4 * i, word);
                steps[i] = (uint32_t)random_bits();
                put_word(step_bytes + 4 * i, steps[i]);
            }
            base64(bytes, 4 * count, text);
            (void)snprintf(message, sizeof message, VALUES("{%.*s\"packed\":{\"x\":\"%s\",\"y\":\"%s\"}"), (int)shift, "    ", text, text);
            message[strlen(message) - 4] = 0;
            base64(step_bytes, 4 * (count - 1), text);
            (void)snprintf(message + strlen(message), 1200, ",\"packedStepsNanoseconds\":\"%s\"}}]}}", text);
            CHECK(read_as_reply(message, &reply));
            if (test_fault) {
                printf("  %s: %s\n", test_fault, message);
                continue;
            }
            reading = (const struct sb_reading *)reply.readings.items;
            CHECK(reading->count == count && reading->column_count == 2);
            CHECK(((uintptr_t)reading->columns[1].floats & 3) == 0);
            CHECK(memcmp(reading->columns[0].floats, values, 4 * count) == 0);
            CHECK(memcmp(reading->columns[1].floats, values, 4 * count) == 0);
            CHECK(strcmp(reading->columns[1].name, "y") == 0);
            for (i = 0; i < count; i++) {
                CHECK(sb_time_ns(reading, i) == stamp);
                stamp += steps[i];
            }
        }
    }
    /* A slash may be escaped: few do it. */
    CHECK(read_as_reply(VALUES("{\"packed\":{\"x\":\"AA\\/AQA==\"}}"), &reply));
}

static void test_all_fields_of_a_location(void) {
    struct reply reply;
    char message[4000] = READING(",\"location\":{\"fix\":\"2d\"");
    const struct sb_location *location;
    size_t i;
    test_name = "each field of a location has its place";
    message[strlen(message) - 4] = 0;
    for (i = 0; i < COUNT_OF(location_fields); i++) {
        if (location_fields[i].form == NUMBER || location_fields[i].form == INTEGER)
            (void)snprintf(message + strlen(message), 100, location_fields[i].form == NUMBER ? ",\"%s\":%d.5" : ",\"%s\":%d",
                location_fields[i].name, (int)i);
    }
    strcat(message, ",\"status\":\"rtkFixed\",\"satellites\":[{\"prn\":7,\"used\":true,\"system\":\"gps\",\"azimuthDegrees\":1.5},{\"prn\":9,\"used\":false}]}}]}}");
    CHECK(read_as_reply(message, &reply));
    if (test_fault) return;
    location = ((const struct sb_reading *)reply.readings.items)->location;
    CHECK(location->fix == SB_FIX_2D && location->utc_microseconds == 1);
    for (i = 0; i < COUNT_OF(location_fields); i++) {
        const void *place = (const char *)location + location_fields[i].offset - offsetof(struct location_form, location);
        double number;
        int64_t integer;
        if (location_fields[i].form == NUMBER) {
            memcpy(&number, place, sizeof number);
            CHECK(fabs(number - ((double)i + 0.5)) < 1e-9);
        }
        if (location_fields[i].form == INTEGER) {
            memcpy(&integer, place, sizeof integer);
            CHECK(integer == (int64_t)i);
        }
    }
    CHECK(location->status && strcmp(location->status, "rtkFixed") == 0);
    CHECK(location->satellite_count == 2 && location->satellites[0].prn == 7 && location->satellites[0].used);
    CHECK(strcmp(location->satellites[0].system, "gps") == 0 && !location->satellites[1].system);
    CHECK(isnan(location->satellites[1].azimuth_degrees) && location->satellites[1].system_number == SB_UNKNOWN);
    CHECK(read_as_reply(READING(",\"location\":{\"fix\":\"none\"}"), &reply));
    location = ((const struct sb_reading *)reply.readings.items)->location;
    CHECK(!location->status && location->correction_station == SB_UNKNOWN && isnan(location->heading_degrees));
    CHECK(isnan(location->latitude_degrees) && location->utc_microseconds == SB_UNKNOWN && location->satellite_count == 0);
}

/* ---- A broker that the test plays */

static char directory[80], socket_path[108];
static int listening = -1, served = -1, changed = -1;
static char heard[70000];

static void listen_again(void) {
    struct sockaddr_un address;
    if (listening >= 0) close(listening);
    unlink(socket_path);
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bind(listening, (const struct sockaddr *)(const void *)&address, sizeof address) != 0 || listen(listening, 8) != 0) abort();
}

/* Accepts the call that the client has made, and returns its text; "" if there is none. */
static const char *accept_call(int *connection) {
    ssize_t count;
    if (*connection >= 0) close(*connection);
    *connection = accept(listening, NULL, NULL);
    heard[0] = 0;
    if (*connection < 0) return heard;
    count = recv(*connection, heard, sizeof heard - 1, 0);
    heard[count < 0 ? 0 : count] = 0;
    return heard;
}

static void say(int connection, const char *message) {
    /* Where nobody hears it, the events are missing. */
    (void)!send(connection, message, strlen(message) + 1, MSG_NOSIGNAL);
}

/* The events that are there, each as a letter and what distinguishes it. */
static const char *events(sb_client *client) {
    static char text[2000];
    const struct sb_event *event;
    text[0] = 0;
    while ((event = sb_next(client, 0)) != NULL) {
        char word[200] = "";
        switch (event->type) {
        case SB_READING:
            (void)snprintf(word, sizeof word, "%s#%d%s%s", event->request, (int)event->reading->sequence,
                event->reading->after_gap ? "!" : "", event->user ? "u" : "");
            break;
        case SB_GAP: (void)snprintf(word, sizeof word, "%s gap %s %d..%d", event->request, event->gap->cause, (int)event->gap->from_ns,
                         (int)event->gap->until_ns); break;
        case SB_STATE: (void)snprintf(word, sizeof word, "%s %s", event->request, event->resource->state_name); break;
        case SB_GRANT: (void)snprintf(word, sizeof word, "%s granted %d", event->request, (int)event->grant->interval_ns); break;
        case SB_ENDED: (void)snprintf(word, sizeof word, "%s ended %s", event->request, sb_error_name(event->failure->error)); break;
        case SB_ERROR: (void)snprintf(word, sizeof word, "%s error %s", event->request, sb_error_name(event->failure->error)); break;
        case SB_CONNECTED: (void)snprintf(word, sizeof word, "connected"); break;
        case SB_DISCONNECTED: (void)snprintf(word, sizeof word, "disconnected %s", sb_error_name(event->failure->error)); break;
        }
        if (strlen(text) + strlen(word) + 3 < sizeof text) {
            strcat(text, *text ? ", " : "");
            strcat(text, word);
        }
    }
    return text;
}

static void check_text(const char *is, const char *should, int line) {
    checks++;
    if (strcmp(is, should) == 0) return;
    failures++;
    printf("unit.c:%d: %s:\n  is:        %s\n  should be: %s\n", line, test_name, is, should);
}
#define SAME(is, should) check_text(is, should, __LINE__)

#define RESOURCE(name, state) "{\"name\":\"" name "\",\"kind\":\"acceleration\",\"reporting\":\"continuous\",\"channels\":[{\"name\":\"x\",\"unit\":\"m\"}],\"state\":\"" state \
    "\",\"simulated\":true,\"minimumIntervalNanoseconds\":1,\"maximumIntervalNanoseconds\":100,\"defaultIntervalNanoseconds\":10}"
#define GRANT(name, interval) "{\"resource\":\"" name "\",\"intervalNanoseconds\":" interval ",\"batchNanoseconds\":0}"
#define SAMPLE(name, number, stamp) "{\"resource\":\"" name "\",\"sequence\":" number ",\"timestampNanoseconds\":" stamp ",\"values\":{\"columns\":{\"x\":[1.5]}}}"
#define UPDATE(members) "{\"parameters\":{" members "},\"continues\":true}"
#define FIRST(name, interval) UPDATE("\"subscription\":\"s1\",\"revision\":1,\"grants\":[" GRANT(name, interval) "],\"resources\":[" RESOURCE(name, "active") "]")

static sb_client *client_of(const char *resource) {
    sb_client *client = sb_open(socket_path);
    struct sb_request request;
    memset(&request, 0, sizeof request);
    request.resource = resource;
    request.interval_ns = 10;
    if (!client || sb_subscribe(client, &request) != SB_OK) abort();
    return client;
}

/* Does now what would be done after a wait. */
static void hurry(sb_client *client) {
    client->link.at = earlier(client->link.at, 1);
    client->stream_retry.at = earlier(client->stream_retry.at, 1);
    client->timer_is_due = true;
    client->timer_at = 1;
}

static void test_a_stream(void) {
    sb_client *client;
    const struct sb_event *event;
    struct sb_request request;
    int marker;
    test_name = "a stream, changed while it runs";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    SAME(accept_call(&served), "{\"method\":\"io.sensorbroker.Broker.Subscribe\",\"parameters\":{\"requests\":[{\"resource\":\"a\",\"intervalNanoseconds\":10}]},\"more\":true}");
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    SAME(sb_subscription(client), "s1");
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "," SAMPLE("other", "1", "1000") "]"));
    SAME(events(client), "a#1");
    say(served, UPDATE("\"gaps\":[{\"resource\":\"a\",\"cause\":\"slowClient\",\"count\":2,\"fromNanoseconds\":1010,\"untilNanoseconds\":1020}],\"readings\":[" SAMPLE("a", "4", "1030") "]"));
    SAME(events(client), "a gap slowClient 1010..1020, a#4!");
    /* A change, on a connection that the program does not see. */
    memset(&request, 0, sizeof request);
    request.resource = "a";
    request.interval_ns = SB_EVERY_SAMPLE;
    request.batch_ns = 7;
    request.filter = SB_FILTER_MEAN;
    request.minimum_change = 0.5;
    request.packed = request.satellites = true;
    request.user = &marker;
    CHECK(sb_subscribe(client, &request) == SB_OK);
    request.label = "l\"2";
    CHECK(sb_subscribe(client, &request) == SB_OK);
    SAME(events(client), "");
    SAME(accept_call(&changed), "{\"method\":\"io.sensorbroker.Broker.Modify\",\"parameters\":{\"subscription\":\"s1\",\"requests\":["
        "{\"resource\":\"a\",\"intervalNanoseconds\":0,\"batchNanoseconds\":7,\"filter\":\"mean\",\"minimumChange\":0.5,\"satellites\":true,\"packed\":true},"
        "{\"resource\":\"a\",\"label\":\"l\\\"2\",\"intervalNanoseconds\":0,\"batchNanoseconds\":7,\"filter\":\"mean\",\"minimumChange\":0.5,\"satellites\":true,\"packed\":true}]}}");
    say(served, UPDATE("\"revision\":2,\"grants\":[" GRANT("a", "0") "],\"readings\":[" SAMPLE("a", "5", "1040") "]"));
    say(changed, "{\"parameters\":{\"revision\":2,\"grants\":[]}}");
    SAME(events(client), "a granted -1, a#5u");
    CHECK(client->change.fd < 0 && !client->is_unsettled);
    say(served, UPDATE("\"readings\":[{\"resource\":\"a\",\"sequence\":6,\"timestampNanoseconds\":1040,\"values\":{\"columns\":{\"x\":[-1e99]}}}]"));
    event = sb_next(client, 0);
    CHECK(event && event->reading->columns[0].floats && isfinite(event->reading->columns[0].floats[0]));
    /* Removed by its name; nothing of it is told any more. */
    CHECK(sb_unsubscribe(client, "l\"2") == SB_OK);
    CHECK(sb_unsubscribe(client, "l\"2") == SB_ERROR_INVALID_REQUEST);
    SAME(events(client), "");
    SAME(accept_call(&changed), "{\"method\":\"io.sensorbroker.Broker.Modify\",\"parameters\":{\"subscription\":\"s1\",\"requests\":[],\"remove\":[\"l\\\"2\"]}}");
    say(changed, "{\"parameters\":{\"revision\":3,\"grants\":[]}}");
    SAME(events(client), "");
    /* The end, and the return with the present requests; the gap is told before the first reading. */
    say(served, "{\"parameters\":{\"ended\":\"shutdown\"}}");
    SAME(events(client), "disconnected ended");
    CHECK(sb_outage(client) && strstr(sb_outage(client)->text, "shutdown"));
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&served), "\"intervalNanoseconds\":0,\"batchNanoseconds\":7"));
    say(served, FIRST("a", "100"));
    SAME(events(client), "connected, a granted 100, a active");
    CHECK(!sb_outage(client));
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "0", "5000") "," SAMPLE("a", "1", "5100") "]"));
    SAME(events(client), "a gap disconnected 1040..5000, a#0!u, a#1u");
    /* Without requests there is no stream. */
    CHECK(sb_unsubscribe(client, "a") == SB_OK);
    SAME(events(client), "");
    CHECK(client->stream.fd < 0 && client->channels == NULL);
    sb_close(client);
}

static void test_refusals(void) {
    sb_client *client;
    struct sb_request request;
    test_name = "refusals";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, "{\"error\":\"io.sensorbroker.Broker.NoSuchResource\",\"parameters\":{\"resource\":\"a\"}}");
    SAME(events(client), "a ended noSuchResource");
    sb_close(client);

    /* Which of two requests is invalid the broker does not say. */
    client = client_of("a");
    memset(&request, 0, sizeof request);
    request.resource = "b";
    CHECK(sb_subscribe(client, &request) == SB_OK);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&served), "\"b\""));
    say(served, "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"intervalNanoseconds\"}}");
    SAME(events(client), "");
    CHECK(!strstr(accept_call(&served), "\"b\""));
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    CHECK(strstr(accept_call(&changed), "Modify") && strstr(heard, "\"b\"") && !strstr(heard, "\"a\""));
    say(changed, "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"intervalNanoseconds\"}}");
    SAME(events(client), "b ended invalidRequest");
    /* A refused change leaves what there is. */
    request.resource = "a";
    request.interval_ns = 7;
    CHECK(sb_subscribe(client, &request) == SB_OK);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&changed), "\"intervalNanoseconds\":7"));
    say(changed, "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"intervalNanoseconds\"}}");
    SAME(events(client), "a error invalidRequest");
    SAME(accept_call(&changed), "");
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
    SAME(events(client), "a#1");
    sb_close(client);

    /* Rights may come; the request waits, and is told once. */
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, "{\"error\":\"org.varlink.service.PermissionDenied\"}");
    SAME(events(client), "disconnected notPermitted");
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&served), "Subscribe"));
    say(served, "{\"error\":\"org.varlink.service.PermissionDenied\"}");
    SAME(events(client), "");
    /* Beside others only that request waits. */
    hurry(client);
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    request.resource = "c";
    request.interval_ns = 0;
    CHECK(sb_subscribe(client, &request) == SB_OK);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&changed), "\"c\""));
    say(changed, "{\"error\":\"org.varlink.service.PermissionDenied\"}");
    SAME(events(client), "c error notPermitted");
    client->channels->next->retry.at = 1;
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&changed), "\"c\""));
    say(changed, "{\"error\":\"org.varlink.service.PermissionDenied\"}");
    SAME(events(client), "");
    client->channels->next->retry.at = 1;
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&changed), "\"c\""));
    say(changed, "{\"parameters\":{\"revision\":2,\"grants\":[]}}");
    SAME(events(client), "");
    say(served, UPDATE("\"revision\":2,\"grants\":[" GRANT("c", "20") "],\"readings\":[" SAMPLE("c", "1", "1000") "]"));
    SAME(events(client), "c granted 20, c#1");
    sb_close(client);

    /* The broker has no room; the same for the stream as a whole. */
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, "{\"error\":\"io.sensorbroker.Broker.TooManySubscriptions\",\"parameters\":{\"limit\":3}}");
    SAME(events(client), "disconnected tooManySubscriptions");
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&served), "Subscribe"));
    say(served, "{\"error\":\"io.sensorbroker.Broker.Tomorrow\"}");
    SAME(events(client), "");
    CHECK(sb_outage(client)->error == SB_ERROR_UNINTELLIGIBLE);
    sb_close(client);
}

static void test_requests_that_the_client_refuses(void) {
    static const struct sb_request bad[] = {
        {.resource = NULL}, {.resource = ""}, {.resource = "a\n"}, {.resource = "\xff"}, {.resource = "a", .label = ""},
        {.resource = "a", .interval_ns = -2}, {.resource = "a", .batch_ns = -1}, {.resource = "a", .minimum_change = -1},
        {.resource = "a", .minimum_change = NAN}, {.resource = "a", .align_to = ""}, {.resource = "a", .filter = (enum sb_filter)9},
    };
    sb_client *client = sb_open(socket_path);
    char long_name[400];
    struct sb_request request;
    size_t i;
    test_name = "requests that the client refuses";
    for (i = 0; i < COUNT_OF(bad); i++) {
        CHECK(sb_subscribe(client, &bad[i]) == SB_ERROR_INVALID_REQUEST);
        CHECK(sb_last_failure(client)->text[0] != 0);
    }
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    memset(&request, 0, sizeof request);
    request.resource = long_name;
    CHECK(sb_subscribe(client, &request) == SB_ERROR_INVALID_REQUEST);
    CHECK(sb_next(client, 0) == NULL);
    sb_close(client);
}

static void test_no_broker(void) {
    sb_client *client, *other, *third;
    test_name = "no broker";
    if (listening >= 0) close(listening);
    listening = -1;
    client = client_of("a");
    SAME(events(client), "disconnected brokerStopped");
    unlink(socket_path);
    hurry(client);
    SAME(events(client), "");
    CHECK(sb_outage(client)->error == SB_ERROR_BROKER_MISSING && strstr(sb_outage(client)->text, socket_path));
    CHECK(strstr(sb_outage(client)->text, "systemctl start"));
    CHECK(client->link.wait == 4 * FIRST_WAIT_NS);
    listen_again();
    hurry(client);
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    CHECK(client->link.at == NEVER && client->link.wait == 0);
    /* One that accepts nobody, as if it were stopped. */
    CHECK(listen(listening, 0) == 0);
    other = client_of("a");
    SAME(events(other), "");
    third = client_of("a");
    SAME(events(third), "disconnected disconnected");
    CHECK(strstr(sb_outage(third)->text, "does not answer"));
    sb_close(third);
    sb_close(other);
    sb_close(client);
}

static void test_hostile_bytes(void) {
    static const char *const messages[] = {
        "garbage", "{\"parameters\":{\"readings\":[{}]}}", "{}\xff", "[]", "{\"parameters\":[]}", "{\"continues\":true,\"error\":\"x.y.Z\"}",
        "{\"parameters\":{\"subscription\":7},\"continues\":true}",
    };
    sb_client *client;
    char *large;
    size_t i, sent;
    test_name = "hostile bytes";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    for (i = 0; i < COUNT_OF(messages); i++) {
        CHECK(strstr(accept_call(&served), "Subscribe"));
        say(served, FIRST("a", "10"));
        SAME(events(client), i ? "connected, a granted 10, a active" : "connected, a active, a granted 10");
        say(served, messages[i]);
        SAME(events(client), "disconnected unintelligible");
        hurry(client);
        SAME(events(client), "");
    }
    /* Resources that nobody asked for are not kept, however many there are. */
    CHECK(strstr(accept_call(&served), "Subscribe"));
    say(served, FIRST("a", "10"));
    say(served, UPDATE("\"resources\":[" RESOURCE("b", "active") "," RESOURCE("a", "stale") "," RESOURCE("c", "active") "]"));
    SAME(events(client), "connected, a granted 10, a active, a stale");
    CHECK(client->known && !client->known->next);
    say(served, "garbage");
    SAME(events(client), "disconnected unintelligible");
    hurry(client);
    SAME(events(client), "");
    /* A message without an end. An emulator takes seconds for it, which are no silence at an interval of two. */
    CHECK(strstr(accept_call(&served), "Subscribe"));
    say(served, FIRST("a", "2000000000"));
    SAME(events(client), "connected, a active, a granted 2000000000");
    large = (char *)malloc(1 << 16);
    memset(large, ' ', 1 << 16);
    for (i = sent = 0; i < 1000 && !sb_outage(client); i++) {
        ssize_t more = send(served, large, 1 << 16, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more > 0) sent += (size_t)more;
        if (*events(client)) break;
    }
    CHECK(sent > MESSAGE_BYTES && sent < 2 * MESSAGE_BYTES);
    CHECK(sb_outage(client) && sb_outage(client)->error == SB_ERROR_UNINTELLIGIBLE);
    CHECK(client->stream.room <= 2 * MESSAGE_BYTES);
    /* It keeps nothing of that. */
    hurry(client);
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "2000000000"));
    SAME(events(client), "connected, a granted 2000000000, a active");
    CHECK(client->stream.room <= KEPT_BYTES);
    /* Nor of one that is long and valid. */
    free(large);
    large = (char *)malloc(3 << 20);
    memset(large, ' ', 3 << 20);
    memcpy(large, "{\"parameters\":{\"readings\":[", 27);
    strcpy(large + (3 << 20) - 200, SAMPLE("a", "1", "1000") "]},\"continues\":true}");
    for (i = 0; i < (3 << 20); i++)
        if (!large[i]) large[i] = ' ';
    large[(3 << 20) - 1] = 0;
    for (i = sent = 0; sent < 3 << 20 && i < 1000; i++) {
        ssize_t more = send(served, large + sent, (3 << 20) - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more > 0) sent += (size_t)more;
        SAME(events(client), sent < 3 << 20 ? "" : "a#1");
    }
    CHECK(client->stream.room > KEPT_BYTES);
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "2", "1010") "]"));
    SAME(events(client), "a#2");
    CHECK(client->stream.room <= KEPT_BYTES);
    free(large);
    sb_close(client);
}

static void test_messages_in_pieces(void) {
    static const char message[] = UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]");
    sb_client *client;
    size_t i, from = 0;
    int count = 0, round;
    char many[sizeof message * 20], idle[300 * sizeof UPDATE("") + sizeof message];
    struct pollfd ready;
    test_name = "messages in pieces, and several at once";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    for (i = 0; i < sizeof message; i++) {
        CHECK(send(served, message + i, 1, 0) == 1);
        SAME(events(client), i + 1 == sizeof message ? "a#1" : "");
    }
    for (i = 0; i < 20; i++) memcpy(many + i * sizeof message, message, sizeof message);
    for (round = 0; round < 200; round++) {
        for (from = 0; from < sizeof many;) {
            size_t piece = (size_t)(random_bits() % 700) + 1;
            const struct sb_event *event;
            if (piece > sizeof many - from) piece = sizeof many - from;
            CHECK(send(served, many + from, piece, 0) == (ssize_t)piece);
            from += piece;
            while ((event = sb_next(client, 0)) != NULL) {
                CHECK(event->type == SB_READING && event->reading->sequence == 1 && strcmp(event->reading->columns[0].unit, "m") == 0);
                count++;
            }
        }
    }
    CHECK(count == 4000);
    /* What tells nothing is heard in several turns, of which nothing waits for another message. */
    for (i = 0; i < 300; i++) memcpy(idle + i * sizeof UPDATE(""), UPDATE(""), sizeof UPDATE(""));
    memcpy(idle + 300 * sizeof UPDATE(""), message, sizeof message);
    CHECK(send(served, idle, sizeof idle, 0) == (ssize_t)sizeof idle);
    SAME(events(client), "");
    ready.fd = sb_fd(client);
    ready.events = POLLIN;
    CHECK(poll(&ready, 1, 0) == 1);
    SAME(events(client), "a#1");
    CHECK(poll(&ready, 1, 0) == 0);
    sb_close(client);
}

static void test_no_memory_for_further_readings(void) {
    sb_client *client;
    static char plain[40000], packed[40000], text[20000];
    static unsigned char bytes[4 * 1000];
    long before = 0;
    int round, count = 0;
    size_t i;
    test_name = "further readings take no memory";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    strcpy(plain, "{\"parameters\":{\"readings\":[{\"resource\":\"a\",\"sequence\":1,\"timestampNanoseconds\":1,\"values\":{\"columns\":{\"x\":[0.125");
    for (i = 1; i < 1000; i++) strcat(plain, ",0.125");
    strcat(plain, "]},\"periodNanoseconds\":1}}]},\"continues\":true}");
    base64(bytes, sizeof bytes, text);
    (void)snprintf(packed, sizeof packed, "{\"parameters\":{\"readings\":[{\"resource\":\"a\",\"sequence\":1,\"timestampNanoseconds\":1,\"values\":"
        "{\"packed\":{\"x\":\"%s\"},\"periodNanoseconds\":1}}]},\"continues\":true}", text);
    /* So slowly that what is due by time is done in between, too. */
    look_ns = 20000000;
    for (round = 0; round < 300; round++) {
        const struct sb_event *event;
        say(served, round % 2 ? plain : packed);
        say(served, UPDATE("\"gaps\":[{\"resource\":\"a\",\"cause\":\"slowClient\",\"fromNanoseconds\":1,\"untilNanoseconds\":2}]"));
        while ((event = sb_next(client, 0)) != NULL) count += event->type == SB_READING && event->reading->count == 1000;
        if (round == 100) before = allocations;
    }
    CHECK(count == 300);
    CHECK(allocations == before);
    look_ns = 0;
    sb_close(client);
}

/* The same little story with memory for ever more steps: whatever is refused, nothing breaks. */
static void test_without_memory(void) {
    long limit;
    test_name = "without memory";
    for (limit = 0; limit < 60; limit++) {
        sb_client *client;
        struct sb_request request;
        const struct sb_resource *resources;
        const struct sb_event *event;
        size_t count;
        int round;
        listen_again();
        refuse_after = limit;
        client = sb_open(socket_path);
        if (!client) {
            refuse_after = -1;
            continue;
        }
        memset(&request, 0, sizeof request);
        request.resource = "a";
        (void)sb_subscribe(client, &request);
        for (round = 0; round < 4; round++) {
            while ((event = sb_next(client, 0)) != NULL) {}
            if (*accept_call(&served)) say(served, FIRST("a", "10"));
            while ((event = sb_next(client, 0)) != NULL) {}
            if (served >= 0) (void)send(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"), sizeof(UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]")), MSG_NOSIGNAL);
            while ((event = sb_next(client, 0)) != NULL) {}
            request.label = "b";
            (void)sb_subscribe(client, &request);
            hurry(client);
        }
        (void)sb_list(client, 0, &resources, &count);
        refuse_after = -1;
        sb_close(client);
        CHECK(true);
    }
}

/* Readings for which there is no memory are not lost without a word: the stream is interrupted, and the gap told. */
static void test_readings_without_memory_are_told(void) {
    static char message[40000];
    int round, refused_whole = 0, refused_partly = 0;
    test_name = "readings without memory are told";
    for (round = 0; round < 20 * 30; round++) {
        /* Of so many values each, so that the memory is at its end at ever other places. */
        int readings = 1 + round % 20, more = round / 20;
        sb_client *client;
        const struct sb_event *event;
        int i, delivered = 0;
        int64_t last = 1000;
        listen_again();
        client = client_of("a");
        SAME(events(client), "");
        (void)accept_call(&served);
        say(served, FIRST("a", "10"));
        say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
        SAME(events(client), "connected, a active, a granted 10, a#1");
        strcpy(message, "{\"parameters\":{\"readings\":[");
        for (i = 0; i < readings; i++)
            (void)snprintf(message + strlen(message), 300, "%s{\"resource\":\"a\",\"sequence\":%d,\"timestampNanoseconds\":%d,\"values\":{\"columns\":{\"x\":[0.5%.*s]},"
                "\"periodNanoseconds\":1}}", i ? "," : "", i + 2, 1010 + 100 * i, 2 * more,
                ",5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5");
        strcat(message, "]},\"continues\":true}");
        say(served, message);
        /* The buffer of the socket may grow; what is decoded, and its events, may not. */
        client->stream.bytes = (char *)realloc(client->stream.bytes, client->stream.room = sizeof message);
        refuse_after = 0;
        while ((event = sb_next(client, 0)) != NULL) {
            if (event->type != SB_READING) continue;
            delivered++;
            last = sb_time_ns(event->reading, event->reading->count - 1);
        }
        refuse_after = -1;
        if (sb_outage(client)) {
            char expected[200];
            CHECK(delivered < readings);
            refused_whole += sb_outage(client)->error == SB_ERROR_UNINTELLIGIBLE;
            refused_partly += sb_outage(client)->error == SB_ERROR_SYSTEM;
            hurry(client);
            while ((event = sb_next(client, 0)) != NULL) {}
            (void)accept_call(&served);
            say(served, FIRST("a", "10"));
            say(served, UPDATE("\"readings\":[" SAMPLE("a", "0", "5000") "]"));
            (void)snprintf(expected, sizeof expected, "connected, a granted 10, a active, a gap disconnected %d..5000, a#0!", (int)last);
            SAME(events(client), expected);
        } else {
            CHECK(delivered == readings);
        }
        sb_close(client);
    }
    /* Some fail when they are decoded, others later. */
    CHECK(refused_whole > 0 && refused_partly > 0 && refused_whole + refused_partly < round);
}

/* A child of fork() closes its copy, and the parent's stream goes on; also if the child keeps its copy open. */
static void test_fork(void) {
    sb_client *client;
    int round;
    test_name = "fork";
    for (round = 0; round < 2; round++) {
        pid_t child;
        int status, hold_open[2];
        if (pipe(hold_open) != 0) abort();
        listen_again();
        client = client_of("a");
        SAME(events(client), "");
        (void)accept_call(&served);
        say(served, FIRST("a", "10"));
        SAME(events(client), "connected, a active, a granted 10");
        child = fork();
        if (child == 0) {
            char byte;
            close(hold_open[1]);
            if (round == 0) sb_close(client);
            if (round == 1) (void)!read(hold_open[0], &byte, 1);
            _exit(0);
        }
        if (round == 0) CHECK(waitpid(child, &status, 0) == child && status == 0);
        say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
        SAME(events(client), "a#1");
        /* The socket that the child still holds is reported no more once the parent has closed it. */
        say(served, "{\"parameters\":{\"ended\":\"shutdown\"}}");
        SAME(events(client), "disconnected ended");
        close(served);
        served = -1;
        client->link.at = NEVER - 1;
        client->timer_is_due = true;
        SAME(events(client), "");
        {
            struct pollfd ready;
            ready.fd = sb_fd(client);
            ready.events = POLLIN;
            CHECK(poll(&ready, 1, 0) == 0);
        }
        close(hold_open[0]);
        close(hold_open[1]);
        if (round == 1) CHECK(waitpid(child, &status, 0) == child);
        sb_close(client);
    }
}

static void test_silence_is_told(void) {
    sb_client *client;
    int64_t now;
    test_name = "silence is told, and its end";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    now = sb_now_ns();
    CHECK(deadline(client) > now && deadline(client) < now + 2 * SECOND);
    note_silence(client, now + SECOND / 2);
    SAME(events(client), "");
    note_silence(client, now + 2 * SECOND);
    SAME(events(client), "a stale");
    note_silence(client, now + 3 * SECOND);
    SAME(events(client), "");
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
    SAME(events(client), "a active, a#1");
    /* If the broker knows why nothing comes, silence means nothing. */
    say(served, UPDATE("\"resources\":[" RESOURCE("a", "unavailable") "]"));
    SAME(events(client), "a unavailable");
    note_silence(client, now + 100 * SECOND);
    SAME(events(client), "");
    /* A stream without a sign of life is given up. */
    client->received_at = now - SUSPECT_NS;
    expire(client, now);
    SAME(events(client), "");
    CHECK(client->stream.fd >= 0);
    expire(client, now + DOUBT_NS);
    SAME(events(client), "disconnected disconnected");
    sb_close(client);
}

static void test_many_requests(void) {
    sb_client *client;
    char label[40], update[20000];
    struct sb_request request;
    size_t length;
    int i, calls = 0, readings = 0;
    test_name = "hundreds of requests go in several calls, leads first, and none is searched for among all";
    listen_again();
    client = sb_open(socket_path);
    memset(&request, 0, sizeof request);
    request.resource = "a";
    request.label = label;
    for (i = 0; i < 100; i++) {
        request.align_to = i == 0 ? "lead" : NULL;
        (void)snprintf(label, sizeof label, i == 50 ? "lead" : "l%d", i);
        CHECK(sb_subscribe(client, &request) == SB_OK);
    }
    SAME(events(client), "");
    CHECK(!strstr(accept_call(&served), "alignTo"));
    say(served, UPDATE("\"subscription\":\"s\",\"revision\":1"));
    SAME(events(client), "connected");
    while (*accept_call(&changed)) {
        calls++;
        CHECK(strlen(heard) < 60000);
        /* Not before its lead, which is in the third call. */
        CHECK(!strstr(heard, "alignTo") || calls >= 2);
        say(changed, "{\"parameters\":{\"revision\":2,\"grants\":[]}}");
        SAME(events(client), "");
    }
    CHECK(calls >= 4 && calls < 8 && !client->is_unsettled);
    length = (size_t)snprintf(update, sizeof update, "{\"continues\":true,\"parameters\":{\"readings\":[");
    for (i = 1; i < 100; i++) {
        const char *form = "%s{\"resource\":\"a\",\"label\":\"%s%d\",\"sequence\":1,\"timestampNanoseconds\":1}";
        if (i != 50) length += (size_t)snprintf(update + length, sizeof update - length, form, i > 1 ? "," : "", "l", i);
    }
    (void)snprintf(update + length, sizeof update - length, "]}}");
    say(served, update);
    comparisons = 0;
    while (sb_next(client, 0)) readings++;
    CHECK(readings == 98 && comparisons < 10 * readings);
    sb_close(client);
}

static void test_wall_clock(void) {
    int64_t before, interrupted;
    test_name = "the wall clock";
    before = sb_realtime_ns(0);
    interruption_ns = 40000000;
    interrupted = sb_realtime_ns(0);
    CHECK(llabs(interrupted - before) < 5000000);
}

static void test_calls(void) {
    sb_client *client = sb_open(socket_path);
    const struct sb_resource *resources;
    const struct sb_reading *reading;
    size_t count;
    test_name = "calls that wait";
    if (listening >= 0) close(listening);
    listening = -1;
    CHECK(sb_list(client, 100, &resources, &count) == SB_ERROR_BROKER_STOPPED);
    listen_again();
    CHECK(sb_read(client, "a", 0, 0, &reading) == SB_ERROR_TIMED_OUT);
    CHECK(strstr(accept_call(&served), "\"timeoutNanoseconds\":0"));
    CHECK(sb_read(client, "", 0, 0, &reading) == SB_ERROR_INVALID_REQUEST);
    sb_close(client);
    sb_close(NULL);
}

/* ---- A program as a sensor */

static const struct sb_offer imu_offers[] = {{.name = "accelerometer:\"arm", .kind = "acceleration", .channels = "x y  z"},
                                             {.name = "light", .channels = " value "}};

static sb_provider *provider_of(const struct sb_offer *offers, size_t count) {
    struct sb_provision provision;
    sb_provider *provider;
    memset(&provision, 0, sizeof provision);
    provision.offers = offers;
    provision.offer_count = count;
    provider = sb_provide(socket_path, &provision);
    if (!provider) abort();
    return provider;
}

/* The events that are there. */
static const char *provider_events(sb_provider *provider) {
    static char line[2000];
    const struct sb_provider_event *event;
    line[0] = 0;
    while ((event = sb_provider_next(provider, 0)) != NULL) {
        char word[400] = "";
        CHECK((event->demand != NULL) + (event->refusal != NULL) + (event->failure != NULL) == 1);
        switch (event->type) {
        case SB_PROVIDER_DEMAND:
            (void)snprintf(word, sizeof word, event->demand->wanted ? "wanted %d %d" : "not wanted", event->demand->interval_ns == SB_UNKNOWN
                ? -1 : (int)event->demand->interval_ns, (int)event->demand->latency_ns);
            break;
        case SB_PROVIDER_REFUSAL: (void)snprintf(word, sizeof word, "refused %d: %s", (int)event->refusal->count, event->refusal->reason); break;
        case SB_PROVIDER_LOST: (void)snprintf(word, sizeof word, "lost %s", sb_error_name(event->failure->error)); break;
        case SB_PROVIDER_ENDED: (void)snprintf(word, sizeof word, "ended %s", sb_error_name(event->failure->error)); break;
        }
        if (strlen(line) + strlen(word) + 3 < sizeof line) {
            strcat(line, *line ? ", " : "");
            strcat(line, word);
        }
    }
    return line;
}

#define ANSWER(parameters) "{\"parameters\":{" parameters "},\"continues\":true}"
#define WANTED ANSWER("\"wanted\":true")

/* What the provider has sent since. */
static const char *receive(int connection) {
    ssize_t count = recv(connection, heard, sizeof heard - 1, MSG_DONTWAIT);
    heard[count < 0 ? 0 : count] = 0;
    return heard;
}

/* A provider that is wanted. */
static sb_provider *wanted_provider(const struct sb_offer *offers, size_t count) {
    sb_provider *provider;
    listen_again();
    provider = provider_of(offers, count);
    SAME(provider_events(provider), "");
    CHECK(strstr(accept_call(&served), "Feed.Provide"));
    say(served, WANTED);
    SAME(provider_events(provider), "wanted -1 0");
    return provider;
}

/* Connects now instead of after a wait. */
static void hurry_provider(sb_provider *provider) { provider->link.at = earlier(provider->link.at, 1); }

#define PUSH(samples) "{\"method\":\"io.sensorbroker.Feed.Push\",\"parameters\":{\"samples\":[" samples "]},\"oneway\":true}"

static void test_a_provider(void) {
    static const double numbers[] = {0.5, -1.25, 9.75, 100};
    static const int64_t intervals[] = {5, 10};
    struct sb_provision provision;
    sb_provider *provider;
    test_name = "a provider";
    listen_again();
    memset(&provision, 0, sizeof provision);
    provision.offers = imu_offers;
    provision.offer_count = 2;
    provision.description = "an \"arm\"";
    provision.intervals_ns = intervals;
    provision.interval_count = 2;
    provision.shortest_ns = 1;
    provision.longest_ns = 2;
    provision.interval_ns = 3;
    provision.rest_ns = 4;
    provision.simulated = true;
    provider = sb_provide(socket_path, &provision);
    CHECK(!sb_provider_outage(provider) && !sb_provider_demand(provider)->wanted);
    CHECK(sb_push(provider, 5, numbers) == SB_OK);
    SAME(accept_call(&served), "{\"method\":\"io.sensorbroker.Feed.Provide\",\"parameters\":{\"resources\":["
        "{\"name\":\"accelerometer:\\\"arm\",\"kind\":\"acceleration\"},{\"name\":\"light\"}],\"description\":\"an \\\"arm\\\"\","
        "\"intervalsNanoseconds\":[5,10],\"shortestNanoseconds\":1,\"longestNanoseconds\":2,\"intervalNanoseconds\":3,\"restNanoseconds\":4,"
        "\"simulated\":true},\"more\":true}");
    SAME(provider_events(provider), "");
    say(served, ANSWER("\"wanted\":false"));
    SAME(provider_events(provider), "not wanted");
    /* Nobody wants them. */
    CHECK(sb_push(provider, 5, numbers) == SB_OK);
    SAME(receive(served), "");
    say(served, ANSWER("\"wanted\":true,\"intervalNanoseconds\":10,\"latencyNanoseconds\":7"));
    /* A push hears it, and the event is there for whoever asks. */
    CHECK(sb_push(provider, 5, numbers) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"accelerometer:\\\"arm\",\"timestampNanoseconds\":5,\"values\":{\"columns\":{\"x\":[0.5],\"y\":[-1.25],\"z\":[9.75]}}},"
        "{\"resource\":\"light\",\"timestampNanoseconds\":5,\"values\":{\"columns\":{\"value\":[100.0]}}}"));
    SAME(provider_events(provider), "wanted 10 7");
    say(served, ANSWER("\"wanted\":true,\"intervalNanoseconds\":10,\"latencyNanoseconds\":7,\"refused\":{\"count\":2,\"reason\":\"too old\"}"));
    say(served, ANSWER("\"wanted\":true,\"intervalNanoseconds\":5,\"refused\":{\"count\":3,\"reason\":\"too new\"}"));
    SAME(provider_events(provider), "refused 5: too new, wanted 5 0");
    /* The end, and the return. */
    close(served);
    served = -1;
    SAME(provider_events(provider), "lost disconnected");
    CHECK(sb_provider_outage(provider) && !sb_provider_demand(provider)->wanted);
    CHECK(sb_push(provider, 5, numbers) == SB_ERROR_DISCONNECTED);
    CHECK(sb_provider_last_failure(provider)->error == SB_ERROR_DISCONNECTED);
    hurry_provider(provider);
    SAME(provider_events(provider), "");
    CHECK(strstr(accept_call(&served), "Feed.Provide"));
    say(served, WANTED);
    SAME(provider_events(provider), "wanted -1 0");
    CHECK(!sb_provider_outage(provider));
    /* Without an answer it is given up. */
    close(served);
    served = -1;
    SAME(provider_events(provider), "lost disconnected");
    hurry_provider(provider);
    SAME(provider_events(provider), "");
    CHECK(strstr(accept_call(&served), "Feed.Provide"));
    provider->answer_by = 1;
    SAME(provider_events(provider), "");
    CHECK(provider->wire.fd < 0 && strstr(sb_provider_outage(provider)->text, "does not answer"));
    sb_provider_close(provider);
    sb_provider_close(NULL);
}

/* Whether the other side has ended the connection, and nothing is left to be read. */
static bool has_ended(int connection) {
    char byte;
    return recv(connection, &byte, 1, MSG_DONTWAIT) == 0;
}

/* A child of fork() that lives on keeps nothing alive; one that closes its copies ends nothing of its parent's. */
static void test_close_beside_a_child(void) {
    static const double number = 7;
    sb_provider *provider = wanted_provider(&imu_offers[1], 1);
    sb_client *client = client_of("a");
    int status, hold_open[2];
    pid_t child;
    test_name = "close beside a child of fork()";
    SAME(events(client), "");
    (void)accept_call(&changed);
    say(changed, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    child = fork();
    if (child == 0) {
        sb_close(client);
        sb_provider_close(provider);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(!has_ended(changed) && !has_ended(served));
    say(changed, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
    SAME(events(client), "a#1");
    if (pipe(hold_open) != 0) abort();
    child = fork();
    if (child == 0) {
        char byte;
        close(hold_open[1]);
        (void)!read(hold_open[0], &byte, 1);
        _exit(0);
    }
    CHECK(sb_push(provider, 5, &number) == SB_OK);
    sb_close(client);
    sb_provider_close(provider);
    CHECK(has_ended(changed));
    /* What was sent before is not lost. */
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"timestampNanoseconds\":5,\"values\":{\"columns\":{\"value\":[7.0]}}}"));
    CHECK(has_ended(served));
    close(hold_open[0]);
    close(hold_open[1]);
    CHECK(waitpid(child, &status, 0) == child);
}

static void test_samples_of_several_times(void) {
    static const struct sb_offer offer = {.name = "light", .channels = "a b"};
    static const double doubles[] = {1, 2, 3, 4, 5, 6};
    static const float floats[] = {1.5f, -2.f, 0.1f, 4.f, 5.f, 6.f};
    static const int64_t stamps[] = {1000, 1010, 1025}, far[] = {1000, 1010, 5000000000000};
    sb_provider *provider;
    struct sb_samples samples;
    char long_text[400];
    test_name = "samples of several times";
    provider = wanted_provider(&offer, 1);
    memset(&samples, 0, sizeof samples);
    samples.count = 3;
    samples.doubles = doubles;
    CHECK(sb_provider_push(provider, &samples) == SB_ERROR_INVALID_REQUEST);
    CHECK(strstr(sb_provider_last_failure(provider)->text, "period"));
    samples.period_ns = 10;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"values\":{\"columns\":{\"a\":[1.0,3.0,5.0],\"b\":[2.0,4.0,6.0]},\"periodNanoseconds\":10}}"));
    samples.timestamps_ns = stamps;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"timestampNanoseconds\":1000,\"values\":{\"columns\":{\"a\":[1.0,3.0,5.0],\"b\":[2.0,4.0,6.0]},"
        "\"timestampsNanoseconds\":[1000,1010,1025]}}"));
    samples.floats = floats;
    CHECK(sb_provider_push(provider, &samples) == SB_ERROR_INVALID_REQUEST);
    samples.doubles = NULL;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"timestampNanoseconds\":1000,\"values\":{\"packed\":{\"a\":\"AADAP83MzD0AAKBA\",\"b\":\"AAAAwAAAgEAAAMBA\"},"
        "\"packedStepsNanoseconds\":\"CgAAAA8AAAA=\"}}"));
    samples.timestamps_ns = far;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    CHECK(strstr(receive(served), "\"timestampsNanoseconds\":[1000,1010,5000000000000]"));
    samples.count = 1;
    samples.timestamps_ns = NULL;
    samples.timestamp_ns = 7;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"timestampNanoseconds\":7,\"values\":{\"packed\":{\"a\":\"AADAPw==\",\"b\":\"AAAAwA==\"}}}"));
    samples.count = 1 << 19;
    CHECK(sb_provider_push(provider, &samples) == SB_ERROR_INVALID_REQUEST);
    /* A reason that is too long is cut, not within a character; further ones are added up until they are told. */
    memset(long_text, 'a', 254);
    strcpy(long_text + 254, "\xc3\xa4\xc3\xa4");
    (void)snprintf(heard, sizeof heard, ANSWER("\"wanted\":true,\"refused\":{\"count\":2,\"reason\":\"%s\"}"), long_text);
    say(served, heard);
    say(served, ANSWER("\"wanted\":true"));
    say(served, heard);
    samples.count = 0;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    long_text[254] = 0;
    {
        const struct sb_provider_event *event = sb_provider_next(provider, 0);
        CHECK(event && event->type == SB_PROVIDER_REFUSAL && event->refusal->count == 4);
        if (event && event->refusal) SAME(event->refusal->reason, long_text);
    }
    sb_provider_close(provider);
}

static void test_a_location_is_provided(void) {
    static const struct sb_offer offer = {.name = "location"};
    struct sb_location location;
    struct sb_satellite satellite;
    sb_provider *provider;
    test_name = "a location is provided";
    provider = wanted_provider(&offer, 1);
    sb_location_clear(&location);
    CHECK(sb_push_location(provider, 0, &location) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"location\",\"location\":{\"fix\":\"none\"}}"));
    location.fix = SB_FIX_3D;
    location.utc_microseconds = 5;
    location.latitude_degrees = -48.5;
    location.status = "dgps";
    location.satellites_used = 0;
    location.baseline_heading_degrees = 1e-300;
    memset(&satellite, 0, sizeof satellite);
    satellite.prn = 7;
    satellite.system = "gps";
    satellite.system_number = SB_UNKNOWN;
    satellite.elevation_degrees = satellite.azimuth_degrees = NAN;
    satellite.signal_decibel_hertz = 40;
    location.satellites = &satellite;
    location.satellite_count = 1;
    CHECK(sb_push_location(provider, 9, &location) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"location\",\"timestampNanoseconds\":9,\"location\":{\"fix\":\"3d\",\"utcMicroseconds\":5,\"latitudeDegrees\":-48.5,"
        "\"satellitesUsed\":0,\"status\":\"dgps\",\"baselineHeadingDegrees\":1e-300,"
        "\"satellites\":[{\"used\":false,\"prn\":7,\"system\":\"gps\",\"signalDecibelHertz\":40.0}]}}"));
    location.altitude_meters = -INFINITY;
    CHECK(sb_push_location(provider, 9, &location) == SB_ERROR_INVALID_REQUEST);
    location.altitude_meters = NAN;
    /* A broker would end the connection for these. */
    location.status = "d\xe4ps";
    CHECK(sb_push_location(provider, 9, &location) == SB_ERROR_INVALID_REQUEST);
    location.status = "d\xc3\xa4ps";
    satellite.system = "\xff";
    CHECK(sb_push_location(provider, 9, &location) == SB_ERROR_INVALID_REQUEST);
    satellite.system = NULL;
    satellite.azimuth_degrees = INFINITY;
    CHECK(sb_push_location(provider, 9, &location) == SB_ERROR_INVALID_REQUEST);
    satellite.azimuth_degrees = NAN;
    CHECK(sb_push_location(provider, 9, &location) == SB_OK);
    CHECK(sb_push(provider, 0, &location.latitude_degrees) == SB_ERROR_INVALID_REQUEST);
    sb_provider_close(provider);
}

static void test_provisions_that_are_refused(void) {
    static const struct {
        const char *reply, *events;
    } replies[] = {
        {"{\"error\":\"io.sensorbroker.Feed.NotAllowed\",\"parameters\":{\"resource\":\"light\",\"reason\":\"add [Feed light]\"}}", "lost notPermitted"},
        {"{\"error\":\"io.sensorbroker.Feed.NameTaken\",\"parameters\":{\"resource\":\"light\",\"holder\":\"iio:device0\"}}", "lost nameTaken"},
        {"{\"error\":\"io.sensorbroker.Feed.NoSuchKind\",\"parameters\":{\"kind\":\"light\"}}", "ended noSuchKind"},
        {"{\"error\":\"io.sensorbroker.Feed.TooManyConnections\",\"parameters\":{\"limit\":5}}", "lost tooManySubscriptions"},
        {"{\"error\":\"org.varlink.service.PermissionDenied\"}", "lost notPermitted"},
        {"{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"resources\"}}", "ended invalidRequest"},
        {"{\"error\":\"io.sensorbroker.Feed.Tomorrow\"}", "lost unintelligible"},
        {"{\"error\":\"a.b.C\",\"continues\":true}", "lost unintelligible"},
        {"{\"parameters\":{\"wanted\":true}}", "lost disconnected"},
        {"{\"parameters\":{}}", "lost unintelligible"},
        {ANSWER("\"wanted\":1"), "lost unintelligible"},
        {ANSWER("\"wanted\":null"), "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"intervalNanoseconds\":-1"), "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"latencyNanoseconds\":1.5"), "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"refused\":{\"count\":1}"), "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"refused\":{\"count\":-1,\"reason\":\"\"}"), "lost unintelligible"},
        {"x", "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"wanted\":true"), "lost unintelligible"},
    };
    static const struct sb_offer good = {.name = "light", .channels = "value"};
    static const struct sb_offer bad[] = {{.name = NULL}, {.name = ""}, {.name = "a\n"}, {.name = "a", .kind = ""}, {.name = "a", .channels = " "},
        {.name = "a", .channels = "a a a a a a a a a a a a a a a a a"}, {.name = "a", .channels = "\x01"}};
    static const struct sb_offer two[] = {{.name = "location"}, {.name = "location:2"}};
    sb_provider *provider;
    struct sb_provision provision;
    size_t i;
    test_name = "provisions that are refused";
    for (i = 0; i < COUNT_OF(replies); i++) {
        const struct sb_failure *outage;
        listen_again();
        provider = provider_of(&good, 1);
        SAME(provider_events(provider), "");
        (void)accept_call(&served);
        say(served, replies[i].reply);
        SAME(provider_events(provider), replies[i].events);
        outage = sb_provider_outage(provider);
        CHECK(outage && strlen(outage->text) > 20 && (outage->retry_ns == SB_UNKNOWN) == (replies[i].events[0] == 'e'));
        if (i == 0) CHECK(strstr(outage->text, "add [Feed light]"));
        if (i == 1) CHECK(strstr(outage->text, "iio:device0"));
        /* Told once; asked for again only if that can help. */
        hurry_provider(provider);
        SAME(provider_events(provider), "");
        CHECK((*accept_call(&served) != 0) == (replies[i].events[0] == 'l'));
        say(served, replies[i].reply);
        SAME(provider_events(provider), "");
        sb_provider_close(provider);
    }
    for (i = 0; i < COUNT_OF(bad); i++) {
        provider = provider_of(&bad[i], 1);
        SAME(provider_events(provider), "ended invalidRequest");
        CHECK(sb_push(provider, 0, NULL) == SB_ERROR_INVALID_REQUEST);
        sb_provider_close(provider);
    }
    provider = provider_of(two, 2);
    SAME(provider_events(provider), "ended invalidRequest");
    sb_provider_close(provider);
    memset(&provision, 0, sizeof provision);
    provision.offers = &good;
    provision.offer_count = 1;
    provision.shortest_ns = 5;
    provider = sb_provide(socket_path, &provision);
    SAME(provider_events(provider), "ended invalidRequest");
    sb_provider_close(provider);
    provision.shortest_ns = 0;
    provision.description = "Ger\xe4t";
    provider = sb_provide(socket_path, &provision);
    SAME(provider_events(provider), "ended invalidRequest");
    sb_provider_close(provider);
    provision.description = NULL;
    /* The providers' socket is found beside a broker's only. */
    provider = sb_provide("/tmp/other", &provision);
    SAME(provider_events(provider), "ended invalidRequest");
    sb_provider_close(provider);
    provider = sb_provide("/nonexistent/io.sensorbroker.Broker.drone", &provision);
    SAME(provider_events(provider), "lost brokerMissing");
    CHECK(strstr(sb_provider_outage(provider)->text, "/nonexistent/io.sensorbroker.Feed.drone"));
    sb_provider_close(provider);
}

/* A broker that does not read: what does not fit is dropped and counted, and what was sent is whole. */
static void test_a_broker_that_does_not_read(void) {
    static const struct sb_offer offer = {.name = "light", .channels = "value"};
    static double many[3000];
    sb_provider *provider;
    struct sb_samples samples;
    static const char push[] = "{\"method\":\"io.sensorbroker.Feed.Push\",";
    static char all[1 << 22];
    size_t length = 0, messages = 0, i, start = 0;
    int sent = 0, calls = 0, round;
    test_name = "a broker that does not read";
    provider = wanted_provider(&offer, 1);
    memset(&samples, 0, sizeof samples);
    samples.doubles = many;
    samples.period_ns = 1;
    for (i = 0; i < 3000; i++) many[i] = 1.0 / (double)(i + 3);
    for (round = 0; round < 300; round++) {
        enum sb_error error;
        samples.count = round % 3 ? 3000 : 1;
        error = sb_provider_push(provider, &samples);
        if (error == SB_OK) sent++, calls += samples.count > 1 ? 2 : 1;
        else CHECK(error == SB_ERROR_BROKER_BUSY);
    }
    CHECK(sent > 0 && sent < 300 && sb_provider_dropped(provider) > 1000);
    CHECK(provider->push.length == 0 || provider->sent > 0);
    for (round = 0; round < 1000; round++) {
        ssize_t count = recv(served, all + length, sizeof all - length, MSG_DONTWAIT);
        if (count > 0) length += (size_t)count;
        SAME(provider_events(provider), "");
        if (count <= 0) break;
    }
    CHECK(provider->push.length == 0 && !provider->is_sending);
    for (i = 0; i < length; i++) {
        if (all[i]) continue;
        CHECK(strncmp(all + start, push, sizeof push - 1) == 0 && strcmp(all + i - 15, ",\"oneway\":true}") == 0 && i - start < 65536);
        messages++;
        start = i + 1;
    }
    /* A long push takes two calls. */
    CHECK(start == length && messages == (size_t)calls);
    /* It goes on as before. */
    CHECK(sb_push(provider, 3, many) == SB_OK);
    CHECK(strstr(receive(served), "\"timestampNanoseconds\":3"));
    sb_provider_close(provider);
}

static void test_no_memory_for_further_samples(void) {
    static const double numbers[] = {0.1, 0.2, 0.3, 0.4};
    sb_provider *provider;
    long before = 0, limit;
    int round;
    test_name = "further samples take no memory";
    provider = wanted_provider(imu_offers, 2);
    for (round = 0; round < 300; round++) {
        say(served, ANSWER("\"wanted\":true,\"intervalNanoseconds\":5,\"refused\":{\"count\":1,\"reason\":\"late\"}"));
        CHECK(sb_push(provider, round + 1, numbers) == SB_OK);
        CHECK(*receive(served));
        (void)provider_events(provider);
        if (round == 10) before = allocations;
    }
    CHECK(allocations == before);
    sb_provider_close(provider);
    /* With memory for ever more steps: whatever is refused, nothing breaks. */
    test_name = "a provider without memory";
    for (limit = 0; limit < 40; limit++) {
        struct sb_provision provision;
        listen_again();
        memset(&provision, 0, sizeof provision);
        provision.offers = imu_offers;
        provision.offer_count = 2;
        refuse_after = limit;
        provider = sb_provide(socket_path, &provision);
        for (round = 0; provider && round < 4; round++) {
            (void)sb_push(provider, 0, numbers);
            if (*accept_call(&served)) say(served, WANTED);
            (void)provider_events(provider);
            (void)sb_push(provider, 0, numbers);
            hurry_provider(provider);
        }
        refuse_after = -1;
        CHECK(provider || limit < 20);
        sb_provider_close(provider);
    }
}

int main(void) {
    (void)snprintf(directory, sizeof directory, "%s/sb-unit-%ld", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
    (void)mkdir(directory, 0700);
    (void)snprintf(socket_path, sizeof socket_path, "%s/io.sensorbroker.Feed", directory);
    test_what_is_a_reply();
    test_numbers_are_correctly_rounded();
    test_packed_columns();
    test_all_fields_of_a_location();
    test_a_stream();
    test_refusals();
    test_requests_that_the_client_refuses();
    test_no_broker();
    test_hostile_bytes();
    test_messages_in_pieces();
    test_no_memory_for_further_readings();
    test_without_memory();
    test_readings_without_memory_are_told();
    test_fork();
    test_silence_is_told();
    test_many_requests();
    test_calls();
    test_wall_clock();
    test_a_provider();
    test_close_beside_a_child();
    test_samples_of_several_times();
    test_a_location_is_provided();
    test_provisions_that_are_refused();
    test_a_broker_that_does_not_read();
    test_no_memory_for_further_samples();
    unlink(socket_path);
    (void)rmdir(directory);
    arena_free(&test_arena);
    free(test_message);
    printf("%d checks, %d failed\n", checks, failures);
    return failures ? 1 : 0;
}
