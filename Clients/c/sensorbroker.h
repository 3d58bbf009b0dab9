/*
 * sensorbroker.h - readings of the sensors that this host's broker, sensorbrokerd, owns
 *
 *     sb_client *client = sb_open(NULL);
 *     struct sb_request request = { .resource = "accelerometer", .interval_ns = SB_HZ(50) };
 *     sb_subscribe(client, &request);
 *     const struct sb_event *event;
 *     while ((event = sb_next(client, -1)) != NULL)
 *         switch (event->type) { case SB_READING: ...; case SB_GAP: ...; ... }
 *
 * A client connects by itself, and again whenever the connection breaks; its requests last until they are removed. Every
 * reading that a request should have had and did not get is told in its stream: by an event SB_GAP, and in the next reading
 * by `after_gap`. With -Wswitch the compiler names the events that a switch forgets.
 *
 * Threads: the library has no threads, no locks and no global state. A client may be used by one thread at a time; any number
 * of clients may be used by as many threads. sb_realtime_ns, sb_now_ns, sb_error_name and the inline functions may be called
 * anywhere. After fork() a child may only call sb_close, which ends nothing of its parent's; what the parent closes ends, whatever
 * copies its children have. A child opens a client of its own.
 *
 * Signals: none is raised (no SIGPIPE) and none is blocked.
 *
 * Lifetime: what an event points to is valid until the next call of sb_next or sb_close with the same client, what sb_read
 * and sb_list return until the next call of either of them, or of sb_close.
 *
 * Memory: after the first readings, none is allocated for further ones of the same size. Numbers that were requested `packed`
 * are decoded in the buffer in which they were received.
 *
 * Times are nanoseconds of CLOCK_BOOTTIME. Unknown numbers are NaN, unknown integers SB_UNKNOWN, unknown texts NULL; nothing is
 * invented. Set a request to zero before you fill it: later versions may use its reserved members. What the library returns may
 * grow at its end, but for structures that come in arrays, which have reserved members instead.
 *
 * A program can be a sensor itself: see sb_provide. What is said above of clients holds for providers too.
 *
 * The protocol is described by the interfaces io.sensorbroker.Broker and io.sensorbroker.Feed; sensorbroker(3) is the manual.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SENSORBROKER_H
#define SENSORBROKER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SB_API __attribute__((visibility("default")))
#else
#define SB_API
#endif

#define SB_VERSION "0.1.0"

/* Intervals. Mind that 0 stands for the resource's default. */
#define SB_S(seconds) ((int64_t)((seconds) * 1000000000.0))
#define SB_MS(milliseconds) ((int64_t)((milliseconds) * 1000000.0))
#define SB_HZ(rate) ((int64_t)(1000000000.0 / (rate) + 0.5))
#define SB_EVERY_SAMPLE ((int64_t)-1)

/* An integer that is not known. */
#define SB_UNKNOWN INT64_MIN

typedef struct sb_client sb_client;

/* ---- What is requested ---- */

enum sb_filter {
    SB_FILTER_DEFAULT = 0, /* as SB_FILTER_NEWEST */
    SB_FILTER_NEWEST,      /* the newest sample of each interval */
    SB_FILTER_MEAN         /* the arithmetic mean of its samples, stamped with their mean time */
};

/* A request for readings of one resource. What is zero is the default. */
struct sb_request {
    const char *resource;  /* such as "location", "accelerometer", "accelerometer:1" */
    const char *label;     /* names the request, if the resource does not: 1 to 32 letters, digits, '.', '_' or '-' */
    int64_t interval_ns;   /* one reading per interval, exactly on average; SB_EVERY_SAMPLE; 0: the resource's default */
    int64_t batch_ns;      /* readings may be gathered for this time; saves wake-ups */
    enum sb_filter filter;
    double minimum_change; /* leave out readings that changed less: metres for locations, else the unit of the channels */
    const char *align_to;  /* name of another request, whose readings are to carry what this one measured at their times */
    bool satellites;       /* with each satellite in view, for locations */
    bool packed;           /* values as float instead of double: much cheaper for batches of more than about a hundred readings */
    void *user;            /* comes back in each event of the request */
    int64_t reserved[6];   /* zero */
};

/* ---- What comes ---- */

/* Numbers of one channel; `doubles`, or `floats` if the request is packed, never both. */
struct sb_column {
    const char *name;      /* "x", "value"; of aligned locations "latitudeDegrees" */
    const char *unit;      /* "m/s²"; "" if it is not known */
    size_t count;          /* that of the reading */
    const double *doubles; /* oldest first. In aligned columns NaN is unknown, elsewhere every number is finite */
    const float *floats;
    const void *reserved[2];
};

/* A satellite in view. */
struct sb_satellite {
    int64_t prn;           /* as in NMEA 0183 2.x to 4.0, 1 to 437 */
    const char *system;    /* "gps", "galileo", …; later versions may add others */
    int64_t system_number; /* its number within its system */
    double elevation_degrees, azimuth_degrees, signal_decibel_hertz;
    bool used;             /* in the solution */
    const void *reserved[2];
};

enum sb_fix { SB_FIX_NONE = 0, SB_FIX_2D = 2, SB_FIX_3D = 3 };

/* A location; the fields are those of the interface. */
struct sb_location {
    enum sb_fix fix;
    int64_t utc_microseconds;           /* of the fix, since 1970 */
    double latitude_degrees, longitude_degrees;
    double altitude_meters;             /* above mean sea level */
    double ellipsoid_height_meters;     /* above the WGS84 ellipsoid */
    double horizontal_error_meters, vertical_error_meters; /* 95 % confidence, as are the errors below */
    double speed_meters_per_second;
    double track_degrees;               /* clockwise from true north */
    double climb_meters_per_second;
    double speed_error_meters_per_second, track_error_degrees, climb_error_meters_per_second;
    double geoid_separation_meters;     /* mean sea level above the ellipsoid */
    double horizontal_dilution, vertical_dilution, position_dilution;
    double velocity_north_meters_per_second, velocity_east_meters_per_second, velocity_down_meters_per_second;
    double ecef_velocity_x_meters_per_second, ecef_velocity_y_meters_per_second, ecef_velocity_z_meters_per_second;
    double time_error_seconds;
    int64_t leap_seconds, satellites_used, satellites_visible;
    const char *status;                 /* "dgps", "rtkFixed", "rtkFloat", …; NULL: not known. Later versions may add others */
    double correction_age_seconds;
    int64_t correction_station;
    double heading_degrees, pitch_degrees, roll_degrees; /* of a second antenna or a compass */
    /* From the other antenna or the reference station to this antenna */
    double baseline_north_meters, baseline_east_meters, baseline_down_meters, baseline_length_meters;
    double baseline_heading_degrees;    /* clockwise from true north */
    const struct sb_satellite *satellites; /* if requested */
    size_t satellite_count;
};

/* What another request's resource measured at the times of a reading. */
struct sb_aligned {
    const char *resource, *label; /* label: NULL if the request has none */
    const char *alignment;        /* "exact", "interpolated", "absent" */
    const struct sb_column *columns;
    size_t column_count;
    const void *reserved[2];
};

/* One reading, or several of a batch as rows. One of columns, location and orientation is set; none if the library is older
   than the kind of sensor and its readings are not numbers. */
struct sb_reading {
    const char *resource, *label; /* label: NULL if the request has none */
    int64_t sequence;             /* of the first sample, counted by the device */
    int64_t timestamp_ns;         /* of the first sample */
    size_t count;                 /* of rows, at least 1 */
    const int64_t *timestamps_ns; /* of each row; NULL if they are evenly spaced: see sb_time_ns */
    int64_t period_ns;            /* from row to row, if evenly spaced */
    const struct sb_column *columns;
    size_t column_count;
    const struct sb_location *location;
    const char *orientation;      /* "normal", "bottom-up", "left-up", "right-up", "undefined" */
    const struct sb_aligned *aligned;
    size_t aligned_count;
    bool after_gap;               /* readings are missing between the one before and this one: an SB_GAP has told it */
};

/* Readings that a request should have had and did not get. */
struct sb_gap {
    const char *resource, *label;
    const char *cause;   /* "slowClient", "deviceOverflow", "deviceLost", "reconfigured", "restarted", "released", or
                            "disconnected": the broker was not there */
    int64_t count;       /* of missing readings; SB_UNKNOWN if it is not known */
    int64_t from_ns, until_ns;
};

/* What the broker made of a request. */
struct sb_grant {
    const char *resource, *label;
    int64_t interval_ns; /* SB_EVERY_SAMPLE: every sample */
    int64_t batch_ns;
    int64_t device_interval_ns; /* SB_UNKNOWN if it is not known */
};

enum sb_state {
    SB_STATE_OTHER = 0, /* one that the library does not know: see state_name */
    SB_STATE_IDLE,
    SB_STATE_WARM,
    SB_STATE_STARTING,
    SB_STATE_ACTIVE,
    SB_STATE_STALE,       /* open but silent */
    SB_STATE_UNAVAILABLE, /* missing or failing; the broker goes on trying */
    SB_STATE_RELEASED     /* by an administrator */
};

/* When readings of a resource come. */
enum sb_reporting {
    SB_REPORTING_OTHER = 0,  /* the broker does not say, or in a way that the library does not know */
    SB_REPORTING_CONTINUOUS, /* one for each interval */
    SB_REPORTING_ON_CHANGE   /* one when the value has changed */
};

struct sb_channel {
    const char *name, *unit;
    const void *reserved[2];
};

/* A resource and its state. */
struct sb_resource {
    const char *name, *kind;
    const struct sb_channel *channels; /* none if its readings are locations or orientations */
    size_t channel_count;
    enum sb_state state;
    const char *state_name;
    const char *reason;      /* why it is stale or unavailable, for people; or NULL */
    bool simulated;          /* a mock or a recording */
    int64_t minimum_interval_ns, maximum_interval_ns, default_interval_ns;
    int64_t device_interval_ns; /* SB_UNKNOWN while it is closed */
    const char *description; /* or NULL */
    enum sb_reporting reporting;
    const void *reserved[3];
};

enum sb_error {
    SB_OK = 0,
    SB_ERROR_BROKER_MISSING, /* there is no socket: the broker is not installed or not started */
    SB_ERROR_BROKER_STOPPED, /* nothing listens at the socket */
    SB_ERROR_NOT_PERMITTED,  /* this user may not use the broker, or not this resource */
    SB_ERROR_DISCONNECTED,   /* the connection broke, or the broker accepts none at present */
    SB_ERROR_ENDED,          /* the broker ended the stream: `reason` is "shutdown", "slowClient", … */
    SB_ERROR_NO_SUCH_RESOURCE,
    SB_ERROR_RESOURCE_UNAVAILABLE, /* it is missing or failing */
    SB_ERROR_TIMED_OUT,
    SB_ERROR_TOO_MANY_SUBSCRIPTIONS, /* or connections, of this user */
    SB_ERROR_TOO_MANY_REQUESTS,
    SB_ERROR_INVALID_REQUEST,
    SB_ERROR_UNINTELLIGIBLE, /* the peer is no broker, or one of another version */
    SB_ERROR_SYSTEM,         /* the system refused memory or a descriptor */
    SB_ERROR_NAME_TAKEN,     /* another program or a sensor has the name that a program wants to provide */
    SB_ERROR_NO_SUCH_KIND,   /* the broker has no such kind of sensor */
    SB_ERROR_BROKER_BUSY     /* the broker reads too slowly, and samples were dropped */
};

/* What went wrong, and in `text` what to do about it, as a sentence for people. */
struct sb_failure {
    enum sb_error error;
    const char *text;
    const char *reason; /* the broker's word, of SB_ERROR_ENDED */
    int64_t retry_ns;   /* how long until the library tries again; SB_UNKNOWN if it does not */
};

enum sb_event_type {
    SB_READING = 1,
    SB_GAP,
    SB_STATE,       /* the resource of a request is in another state: `resource` */
    SB_GRANT,       /* holds for the readings that follow */
    SB_ENDED,       /* the request can never be granted, and has been removed: `failure` */
    SB_ERROR,       /* a request is refused, and tried again later, or its change is, and it goes on as before: `failure` */
    SB_CONNECTED,
    SB_DISCONNECTED /* there is no stream, and why: `failure`; told once, until SB_CONNECTED. The library tries again and again */
};

/* The member that belongs to the type is set, the others are NULL. */
struct sb_event {
    enum sb_event_type type;
    const char *request; /* its name: the label, or without one the resource; NULL: all requests */
    void *user;          /* that of the request */
    const struct sb_reading *reading;
    const struct sb_gap *gap;
    const struct sb_grant *grant;
    const struct sb_resource *resource;
    const struct sb_failure *failure;
};

/* ---- The client ---- */

/* Creates a client of the broker at a socket; NULL: at $SENSORBROKER_SOCKET, or else at the usual places. It connects with its
   first request. NULL, and errno, if the system has no memory or no descriptor left. */
SB_API sb_client *sb_open(const char *socket_path);

/* Closes the connection and frees everything. */
SB_API void sb_close(sb_client *client);

/* Adds a request, or replaces the one of the same name: its stream goes on without a loss, and an SB_GRANT tells where the change
   begins. Copies the request. SB_OK; SB_ERROR_INVALID_REQUEST, with the reason in sb_last_failure; SB_ERROR_SYSTEM. */
SB_API enum sb_error sb_subscribe(sb_client *client, const struct sb_request *request);

/* Removes a request by its name; no event of it follows. SB_ERROR_INVALID_REQUEST if there is none of that name. */
SB_API enum sb_error sb_unsubscribe(sb_client *client, const char *name);

/* The next event. Waits for it for so long, -1: for ever, 0: not at all. NULL: nothing came in time, or (errno is EINTR) a handler
   of the program has caught a signal. */
SB_API const struct sb_event *sb_next(sb_client *client, int timeout_ms);

/* For event loops: a descriptor that is readable (POLLIN) when sb_next has something to do, deadlines included. Then call
   sb_next(client, 0) until it returns NULL. It stays the same as long as the client lives; do not read it. */
SB_API int sb_fd(const sb_client *client);

/* Why there is no stream at present; NULL if there is one, or none is wanted. Valid until the next sb_next. */
SB_API const struct sb_failure *sb_outage(const sb_client *client);

/* The name of the present subscription, for `sensorctl set`; NULL while there is none. */
SB_API const char *sb_subscription(const sb_client *client);

/* ---- Calls that wait, on a connection of their own ---- */

/* Asks for one reading that is not older than maximum_age_ns (0: a new one), waits at most timeout_ms for it (-1: for ever, 0: not at
   all), and puts it into *reading. A broker that does not answer is waited for a second if that is longer. On an error it returns it,
   and sb_last_failure has the words. */
SB_API enum sb_error sb_read(sb_client *client, const char *resource, int64_t maximum_age_ns, int timeout_ms,
                             const struct sb_reading **reading);

/* Asks for all resources; waits as sb_read does. */
SB_API enum sb_error sb_list(sb_client *client, int timeout_ms, const struct sb_resource **resources, size_t *count);

/* Why the last call of this client that returned an error failed; never NULL. */
SB_API const struct sb_failure *sb_last_failure(const sb_client *client);

/* ---- A program as a sensor ---- */

typedef struct sb_provider sb_provider;

/* A resource that a program provides. */
struct sb_offer {
    const char *name;     /* as clients will know it: the name of its kind, or with a suffix, such as "accelerometer:arm" */
    const char *kind;     /* such as "acceleration"; NULL: what the name says */
    const char *channels; /* the names of its numbers in their order: "x y z", "value", …; NULL: it is a location */
    const void *reserved[2];
};

/* What a program provides: resources that are measured at the same times, as by an inertial measurement unit. What is zero is
   not known, or not so. */
struct sb_provision {
    const struct sb_offer *offers;
    size_t offer_count;
    const char *description;       /* the program and its device, for people */
    const int64_t *intervals_ns;   /* the intervals that it can be asked for, ascending; */
    size_t interval_count;
    int64_t shortest_ns, longest_ns; /* or any from the one to the other; */
    int64_t interval_ns;           /* or the one that it has and follows no wishes */
    int64_t rest_ns;               /* how long it may send nothing although it works, as a sensor that reports only changes */
    bool simulated;                /* the samples are invented */
    int64_t reserved[6];           /* zero */
};

/* Samples of all resources of a provider, of the same times, oldest first. */
struct sb_samples {
    size_t count;                  /* of times; 0 stands for 1 */
    int64_t timestamp_ns;          /* of the first; 0: so that the last one was measured when the broker receives it */
    int64_t period_ns;             /* from one to the next; */
    const int64_t *timestamps_ns;  /* or each */
    const double *doubles;         /* for each time the numbers of all offers, in the order of offers and channels; */
    const float *floats;           /* or these, which are much cheaper */
    const struct sb_location *location; /* of the offer without channels; goes with a count of 1 */
    int64_t reserved[6];           /* zero */
};

/* What all clients together want of a provider. */
struct sb_demand {
    bool wanted;         /* samples; while none are, they are dropped, and the program may rest */
    int64_t interval_ns; /* the longest one that is enough for all, of those offered; SB_UNKNOWN: as it likes */
    int64_t latency_ns;  /* samples may be gathered for so long before they are pushed; 0: not at all */
};

/* Samples that clients do not get. */
struct sb_refusal {
    int64_t count;
    const char *reason; /* of the last one, for people */
};

enum sb_provider_event_type {
    SB_PROVIDER_DEMAND = 1, /* it provides, and this is wanted from now on: `demand` */
    SB_PROVIDER_REFUSAL,    /* the broker refused samples: `refusal` */
    SB_PROVIDER_LOST,       /* it does not provide, and why: `failure`; told once, until it does. The library tries again and again */
    SB_PROVIDER_ENDED       /* it never will, as it is: `failure` */
};

/* The member that belongs to the type is set, the others are NULL. */
struct sb_provider_event {
    enum sb_provider_event_type type;
    const struct sb_demand *demand;
    const struct sb_refusal *refusal;
    const struct sb_failure *failure;
};

/* Provides resources at the broker whose socket has this path; NULL: as for sb_open. Copies the provision. It connects at the first
   push or sb_provider_next, and again whenever the connection breaks. NULL, and errno, if the system has no memory or no
   descriptor left; whatever else is wrong, SB_PROVIDER_ENDED tells. */
SB_API sb_provider *sb_provide(const char *socket_path, const struct sb_provision *provision);

/* Ends the provision, and frees everything. If a part of the last samples waits for room in the socket, it is sent first, which may
   take two seconds. Returns what sb_provider_dropped would return after that. */
SB_API int64_t sb_provider_close(sb_provider *provider);

/* Hands samples to the broker; never waits. SB_OK: they are on their way, or nobody wants them. Otherwise they are dropped:
   SB_ERROR_BROKER_BUSY; SB_ERROR_INVALID_REQUEST, if a number is not finite, for one; or why it does not provide at present.
   After the first samples, it takes no memory for further ones of the same number. */
SB_API enum sb_error sb_provider_push(sb_provider *provider, const struct sb_samples *samples);

/* The next event; waits as sb_next does. What it points to is valid until the next call with the same provider. A program that only
   pushes need not call it: each push does what is due. */
SB_API const struct sb_provider_event *sb_provider_next(sb_provider *provider, int timeout_ms);

/* For event loops, as sb_fd: then call sb_provider_next(provider, 0) until it returns NULL. */
SB_API int sb_provider_fd(const sb_provider *provider);

/* What is wanted at present; never NULL. Valid until the next call with the same provider. */
SB_API const struct sb_demand *sb_provider_demand(const sb_provider *provider);

/* Why it does not provide at present; NULL if it does, or waits for the first answer. */
SB_API const struct sb_failure *sb_provider_outage(const sb_provider *provider);

/* Why the last push that returned an error did; never NULL. */
SB_API const struct sb_failure *sb_provider_last_failure(const sb_provider *provider);

/* How many times of samples were dropped so far because the broker read too slowly, or went away while they waited for room. */
SB_API int64_t sb_provider_dropped(const sb_provider *provider);

/* Sets all of a location to unknown, to be filled in. */
SB_API void sb_location_clear(struct sb_location *location);

/* Pushes the numbers of one time: those of all offers, in the order of offers and channels. */
static inline enum sb_error sb_push(sb_provider *provider, int64_t timestamp_ns, const double *numbers) {
    struct sb_samples samples;
    memset(&samples, 0, sizeof samples);
    samples.timestamp_ns = timestamp_ns;
    samples.doubles = numbers;
    return sb_provider_push(provider, &samples);
}

/* Pushes a location, of a provider that offers nothing else. */
static inline enum sb_error sb_push_location(sb_provider *provider, int64_t timestamp_ns, const struct sb_location *location) {
    struct sb_samples samples;
    memset(&samples, 0, sizeof samples);
    samples.timestamp_ns = timestamp_ns;
    samples.location = location;
    return sb_provider_push(provider, &samples);
}

/* ---- Small things ---- */

/* The present time of CLOCK_BOOTTIME. */
SB_API int64_t sb_now_ns(void);

/* A time of CLOCK_BOOTTIME as nanoseconds since 1970, by the present offset of the two clocks. */
SB_API int64_t sb_realtime_ns(int64_t timestamp_ns);

/* An error as one word, such as "notPermitted". */
SB_API const char *sb_error_name(enum sb_error error);

/* The version of the library that the program runs with. */
SB_API const char *sb_version(void);

/* The time of a row. */
static inline int64_t sb_time_ns(const struct sb_reading *reading, size_t row) {
    return reading->timestamps_ns ? reading->timestamps_ns[row] : reading->timestamp_ns + (int64_t)row * reading->period_ns;
}

/* The number in a row of a column, packed or not. */
static inline double sb_value(const struct sb_column *column, size_t row) {
    return column->doubles ? column->doubles[row] : (double)column->floats[row];
}

/* A column of a reading by its name; NULL if it has none of that name. */
static inline const struct sb_column *sb_find_column(const struct sb_reading *reading, const char *name) {
    size_t i;
    for (i = 0; i < reading->column_count; i++)
        if (strcmp(reading->columns[i].name, name) == 0) return &reading->columns[i];
    return NULL;
}

/* What an aligned request measured at a reading, by the name of the request; NULL if the reading has nothing of it. */
static inline const struct sb_aligned *sb_find_aligned(const struct sb_reading *reading, const char *request) {
    size_t i;
    for (i = 0; i < reading->aligned_count; i++) {
        const struct sb_aligned *aligned = &reading->aligned[i];
        if (strcmp(aligned->label ? aligned->label : aligned->resource, request) == 0) return aligned;
    }
    return NULL;
}

/* A number of an aligned request at a row of a reading, such as "location", "latitudeDegrees"; NaN if it is not known. */
static inline double sb_aligned_value(const struct sb_reading *reading, const char *request, const char *name, size_t row) {
    const struct sb_aligned *aligned = sb_find_aligned(reading, request);
    size_t i;
    for (i = 0; aligned && i < aligned->column_count; i++)
        if (strcmp(aligned->columns[i].name, name) == 0) return sb_value(&aligned->columns[i], row);
    return NAN;
}

/* Whether a number is known. */
static inline bool sb_is_known(double number) { return !isnan(number); }

#ifdef __cplusplus
}
#endif

#endif
