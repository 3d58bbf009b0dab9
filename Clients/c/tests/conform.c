/*
 * conform SOCKET [REQUEST...]: shows what a user of the library sees, as one JSON object a line, and takes commands from standard
 * input. Clients/conformance/README.md describes the requests, the commands and the lines. conform --provide is in provide.h.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "../sensorbroker.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALL_PATIENCE_MS = 15000 };

static int exit_status = -1; /* of the end, once it is certain */
static int requests;         /* that have neither ended nor been removed */
static int modified_marker;  /* the user's pointer of requests that a command made */

static void usage(const char *what) {
    fprintf(stderr, "conform: %s\nusage: conform SOCKET [RESOURCE[,FIELD=VALUE]...]...\n"
        "       conform --provide SOCKET RESOURCE[,FIELD=VALUE]... [-OPTION=VALUE]...\n", what);
    exit(64);
}

static int64_t integer(const char *text) {
    char *end;
    int64_t value = strtoll(text, &end, 10);
    if (end == text || *end) usage("a number is not one");
    return value;
}

/* Reads a request, whose texts stay in the line. */
static void parse(char *line, struct sb_request *request) {
    char *rest = NULL, *field;
    memset(request, 0, sizeof *request);
    request->resource = strtok_r(line, ",", &rest);
    if (!request->resource) usage("a request has no resource");
    while ((field = strtok_r(NULL, ",", &rest)) != NULL) {
        char *value = strchr(field, '=');
        if (!value) usage("a field has no value");
        *value++ = 0;
        if (strcmp(field, "interval") == 0)
            request->interval_ns = integer(value) == 0 ? SB_EVERY_SAMPLE : integer(value);
        else if (strcmp(field, "batch") == 0)
            request->batch_ns = integer(value);
        else if (strcmp(field, "filter") == 0)
            request->filter = strcmp(value, "mean") == 0 ? SB_FILTER_MEAN : SB_FILTER_NEWEST;
        else if (strcmp(field, "change") == 0)
            request->minimum_change = strtod(value, NULL);
        else if (strcmp(field, "label") == 0)
            request->label = value;
        else if (strcmp(field, "packed") == 0)
            request->packed = integer(value) != 0;
        else if (strcmp(field, "align") == 0)
            request->align_to = value;
        else
            usage("there is no such field");
    }
}

/* ---- Lines */

static void text(const char *word) {
    const unsigned char *c;
    putchar('"');
    for (c = (const unsigned char *)word; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20)
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void member(const char *name, const char *value) {
    if (!value) return;
    printf(",\"%s\":", name);
    text(value);
}

static void whole(const char *name, int64_t value) {
    if (value != SB_UNKNOWN) printf(",\"%s\":%" PRId64, name, value);
}

static void real(const char *name, double value) {
    if (sb_is_known(value)) printf(",\"%s\":%.17g", name, value);
}

static void begin(const char *event) { printf("{\"event\":\"%s\"", event); }

static void end(void) {
    puts("}");
    fflush(stdout);
}

static void show_location(const struct sb_location *location) {
    printf(",\"location\":{\"fix\":\"%s\"", location->fix == SB_FIX_3D ? "3d" : location->fix == SB_FIX_2D ? "2d" : "none");
    real("latitudeDegrees", location->latitude_degrees);
    real("longitudeDegrees", location->longitude_degrees);
    real("altitudeMeters", location->altitude_meters);
    whole("satellitesUsed", location->satellites_used);
    putchar('}');
}

static void show_aligned(const struct sb_reading *reading, size_t row) {
    size_t i, k;
    if (!reading->aligned_count) return;
    printf(",\"aligned\":[");
    for (i = 0; i < reading->aligned_count; i++) {
        const struct sb_aligned *aligned = &reading->aligned[i];
        printf("%s{\"alignment\":\"%s\"", i ? "," : "", aligned->alignment);
        member("resource", aligned->resource);
        member("label", aligned->label);
        for (k = 0; k < aligned->column_count; k++) real(aligned->columns[k].name, sb_value(&aligned->columns[k], row));
        putchar('}');
    }
    putchar(']');
}

static void show_reading(const char *event, const struct sb_reading *reading) {
    size_t row, i;
    for (row = 0; row < reading->count; row++) {
        begin(event);
        member("resource", reading->resource);
        member("label", reading->label);
        if (row == 0) whole("sequence", reading->sequence);
        whole("timestampNanoseconds", sb_time_ns(reading, row));
        if (row == 0 && reading->after_gap) printf(",\"afterGap\":true");
        if (reading->location) show_location(reading->location);
        member("orientation", reading->orientation);
        if (reading->column_count) {
            printf(",\"values\":{");
            for (i = 0; i < reading->column_count; i++) {
                if (i) putchar(',');
                text(reading->columns[i].name);
                printf(":%.17g", sb_value(&reading->columns[i], row));
            }
            putchar('}');
            member("unit", reading->columns[0].unit);
        }
        show_aligned(reading, row);
        end();
    }
}

static void show_failure(const char *event, const struct sb_event *of, const struct sb_failure *failure) {
    begin(event);
    member("error", sb_error_name(failure->error));
    member("reason", failure->reason);
    if (of) member("resource", of->request);
    member("text", failure->text);
    end();
}

static void show(const struct sb_event *event) {
    switch (event->type) {
    case SB_READING: show_reading("reading", event->reading); break;
    case SB_GAP:
        begin("gap");
        member("resource", event->gap->resource);
        member("label", event->gap->label);
        member("cause", event->gap->cause);
        whole("count", event->gap->count);
        whole("fromNanoseconds", event->gap->from_ns);
        whole("untilNanoseconds", event->gap->until_ns);
        end();
        break;
    case SB_STATE:
        begin("state");
        member("resource", event->resource->name);
        member("state", event->resource->state_name);
        member("reason", event->resource->reason);
        end();
        break;
    case SB_GRANT:
        begin("grant");
        member("resource", event->grant->resource);
        member("label", event->grant->label);
        whole("intervalNanoseconds", event->grant->interval_ns == SB_EVERY_SAMPLE ? 0 : event->grant->interval_ns);
        whole("batchNanoseconds", event->grant->batch_ns);
        end();
        break;
    case SB_CONNECTED:
        begin("connected");
        end();
        break;
    case SB_DISCONNECTED: show_failure("disconnected", NULL, event->failure); break;
    case SB_ERROR:
        /* One that is tried again is an interruption of that request; else the former one still holds. */
        show_failure(event->failure->retry_ns == SB_UNKNOWN ? "refused" : "disconnected", event, event->failure);
        break;
    case SB_ENDED:
        requests--;
        /* A request that was added to a running stream does not end the others. */
        show_failure(event->user && requests > 0 ? "refused" : "error", event, event->failure);
        if (requests == 0) exit_status = 1;
        break;
    }
}

/* ---- Commands */

static void failed(sb_client *client, const char *call) {
    begin("failed");
    member("call", call);
    member("error", sb_error_name(sb_last_failure(client)->error));
    member("text", sb_last_failure(client)->text);
    end();
}

static void list(sb_client *client) {
    const struct sb_resource *resources;
    size_t count, i;
    if (sb_list(client, CALL_PATIENCE_MS, &resources, &count) != SB_OK) {
        failed(client, "list");
        return;
    }
    begin("list");
    printf(",\"resources\":[");
    for (i = 0; i < count; i++) {
        printf("%s{\"name\":", i ? "," : "");
        text(resources[i].name);
        member("kind", resources[i].kind);
        member("state", resources[i].state_name);
        putchar('}');
    }
    putchar(']');
    end();
}

static void read_one(sb_client *client, char *words) {
    char *rest = NULL;
    const char *resource = strtok_r(words, " ", &rest), *age = strtok_r(NULL, " ", &rest), *timeout = strtok_r(NULL, " ", &rest);
    const struct sb_reading *reading;
    if (!resource || !age || !timeout) usage("read RESOURCE MAXIMUM_AGE_NS TIMEOUT_NS");
    if (sb_read(client, resource, integer(age), (int)(integer(timeout) / 1000000), &reading) == SB_OK)
        show_reading("read", reading);
    else
        failed(client, "read");
}

static void subscribe(sb_client *client, char *words, void *user) {
    struct sb_request request;
    parse(words, &request);
    request.user = user;
    if (sb_subscribe(client, &request) == SB_OK) return;
    begin(user ? "refused" : "error");
    member("error", sb_error_name(sb_last_failure(client)->error));
    member("text", sb_last_failure(client)->text);
    end();
    if (!user) exit_status = 1;
}

/* The names of the requests that there are, to count them. */
static char names[64][64];

static bool note_name(const char *words) {
    char line[512], name[64], *label;
    size_t i, free_place = 64;
    snprintf(line, sizeof line, "%s", words);
    label = strstr(line, ",label=");
    snprintf(name, sizeof name, "%.63s", label ? label + 7 : line);
    name[strcspn(name, ",")] = 0;
    for (i = 0; i < 64; i++) {
        if (strcmp(names[i], name) == 0) return false;
        if (!names[i][0] && free_place == 64) free_place = i;
    }
    if (free_place < 64) memcpy(names[free_place], name, sizeof name);
    return true;
}

static void forget_name(const char *name) {
    size_t i;
    for (i = 0; i < 64; i++)
        if (strcmp(names[i], name) == 0) names[i][0] = 0;
}

static void command(sb_client *client, char *line) {
    if (strncmp(line, "modify ", 7) == 0) {
        if (note_name(line + 7)) requests++;
        subscribe(client, line + 7, &modified_marker);
    } else if (strncmp(line, "remove ", 7) == 0) {
        if (sb_unsubscribe(client, line + 7) == SB_OK) requests--;
        forget_name(line + 7);
    } else if (strcmp(line, "list") == 0) {
        list(client);
    } else if (strncmp(line, "read ", 5) == 0) {
        read_one(client, line + 5);
    } else if (strcmp(line, "quit") == 0) {
        exit_status = 0;
    } else if (*line) {
        usage("there is no such command");
    }
}

static void provider_command(sb_provider *provider, char *line);

/* Reads commands for one of both; whole lines only. */
static void hear_commands(sb_client *client, sb_provider *provider) {
    static char buffer[65536];
    static size_t length;
    char *end_of_line;
    ssize_t count = read(0, buffer + length, sizeof buffer - 1 - length);
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
        exit_status = 0;
        return;
    }
    length += (size_t)count;
    buffer[length] = 0;
    while (exit_status < 0 && (end_of_line = strchr(buffer, '\n')) != NULL) {
        size_t used = (size_t)(end_of_line - buffer) + 1;
        *end_of_line = 0;
        if (client)
            command(client, buffer);
        else if (*buffer)
            provider_command(provider, buffer);
        memmove(buffer, buffer + used, length - used + 1);
        length -= used;
    }
}

#include "provide.h"

int main(int count, char **words) {
    sb_client *client;
    int i;
    if (count < 2) usage("there is no socket");
    if (strcmp(words[1], "--provide") == 0) return provide(count - 2, words + 2);
    client = sb_open(words[1]);
    if (!client) {
        perror("conform");
        return 71;
    }
    for (i = 2; i < count; i++) {
        if (note_name(words[i])) requests++;
        subscribe(client, words[i], NULL);
    }
    while (exit_status < 0) {
        struct pollfd ready[2];
        const struct sb_event *event;
        while (exit_status < 0 && (event = sb_next(client, 0)) != NULL) show(event);
        if (exit_status >= 0) break;
        memset(ready, 0, sizeof ready);
        ready[0].fd = sb_fd(client);
        ready[1].fd = 0;
        ready[0].events = ready[1].events = POLLIN;
        if (poll(ready, 2, -1) < 0 && errno != EINTR) return 71;
        if (ready[1].revents) hear_commands(client, NULL);
    }
    sb_close(client);
    return exit_status;
}
