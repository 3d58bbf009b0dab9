// libgps behind adapters of one or two lines, no logic. They exist because gps_stream and gps_unpack change their types
// between versions, gps_data_t is full of unions and arrays that Swift imports badly, and failures are returned in three
// different forms. Written against API 9 to 16 (gpsd 3.20 and later); made for 3.22.
#ifndef SENSORBROKER_CGPS_H
#define SENSORBROKER_CGPS_H

#include <errno.h>
#include <fcntl.h>
#include <gps.h>
#include <math.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#if !defined(GPSD_API_MAJOR_VERSION) || GPSD_API_MAJOR_VERSION < 9
# error "libgps of gpsd 3.20 or newer is required"
#endif

void *memmem(const void *, size_t, const void *, size_t); // of GNU

// A TPV as libgps unpacked it. NaN: unknown; a time of 0, 0: unknown.
typedef struct {
    int64_t seconds, nanoseconds;
    int mode; // 0 unseen, 1 none, 2 2D, 3 3D; gpsd may send any other number
    double latitude, longitude, altitude_msl, altitude_hae;
    double speed, track, climb;
    double epx, epy, eph, epv, eps, epd, epc, geoid_separation;
    double velocity_north, velocity_east, velocity_down;
    double ecef_velocity_x, ecef_velocity_y, ecef_velocity_z;
    double ept;
    int leap_seconds; // 0: unknown
    int status; // 0, 1: an ordinary fix, or unknown
    double dgps_age;
    int dgps_station; // -1: unknown
} cgps_fix;

// A satellite of a SKY as libgps unpacked it. NaN: unknown; svid 0: the receiver does not report the system.
typedef struct {
    int prn, gnssid, svid, used;
    double elevation, azimuth, signal;
} cgps_satellite;

// Zeroed, with spare bytes at the end: the struct has grown under one soname, and libgps writes to all of it.
static inline struct gps_data_t *cgps_allocate(void) {
    return (struct gps_data_t *)calloc(1, sizeof(struct gps_data_t) + 131072);
}

static inline void cgps_free(struct gps_data_t *g) { free(g); }

// Where a text begins; -1: nowhere
static inline ptrdiff_t cgps_find(const void *bytes, size_t count, const void *text, size_t length) {
    const char *first = (const char *)memmem(bytes, count, text, length);
    return first ? first - (const char *)bytes : -1;
}

// Copies a line and ends it with a zero byte; false if it contains one
static inline int cgps_copy_line(char *line, const void *bytes, size_t count) {
    if (memchr(bytes, 0, count)) return 0;
    memcpy(line, bytes, count);
    line[count] = 0;
    return 1;
}

// Uses a socket that is connected to gpsd; the caller closes it
static inline void cgps_use(struct gps_data_t *g, int fd) { g->gps_fd = fd; }

static inline int cgps_descriptor(const struct gps_data_t *g) { return (int)(intptr_t)g->gps_fd; }

// Of all receivers, or of the one at a path, which is part of a JSON text; gps_stream(3) would cut a path of more than 30 bytes
static inline int cgps_watch(struct gps_data_t *g, const char *path) {
    if (!path) return gps_stream(g, WATCH_ENABLE | WATCH_JSON, NULL);
    return gps_send(g, "?WATCH={\"enable\":true,\"json\":true,\"device\":\"%s\"};\n", path);
}

static inline int cgps_unwatch(struct gps_data_t *g) { return gps_stream(g, WATCH_DISABLE | WATCH_JSON, NULL); }

// Asks which receivers gpsd knows; opens none of them
static inline int cgps_ask_receivers(struct gps_data_t *g) { return gps_send(g, "?DEVICES;\n"); }

// One recv(2) of that socket
static inline ssize_t cgps_receive(const struct gps_data_t *g, void *bytes, size_t capacity) {
    return recv(cgps_descriptor(g), bytes, capacity, MSG_DONTWAIT);
}

static inline int cgps_wait(const struct gps_data_t *g, int milliseconds) {
    struct pollfd fd = { .fd = cgps_descriptor(g), .events = POLLIN };
    return poll(&fd, 1, milliseconds);
}

static inline int cgps_errno(void) { return errno; }

// Unpacks one line. First clears `set` and the path, to which libgps only adds, and the velocities, which it may not
// know.
static inline int cgps_unpack(struct gps_data_t *g, char *line) {
    g->set = 0;
    g->dev.path[0] = 0;
    g->fix.NED.velN = g->fix.NED.velE = g->fix.NED.velD = NAN;
    return gps_unpack(line, g);
}

static inline int cgps_has_fix(const struct gps_data_t *g) { return (g->set & STATUS_SET) != 0; }
static inline int cgps_has_satellites(const struct gps_data_t *g) { return (g->set & SATELLITE_SET) != 0; }
static inline int cgps_has_version(const struct gps_data_t *g) { return (g->set & VERSION_SET) != 0; }
static inline int cgps_has_device(const struct gps_data_t *g) { return (g->set & DEVICE_SET) != 0; }

// Before 3.23 libgps knows no velN, velE and velD: it puts them into the fields of relN, relE and relD, which gpsd writes
// before them. So the returned velocity is valid only for a line that has a velN.
static inline double cgps_ned(double velocity, double position) { return isfinite(velocity) ? velocity : position; }

// Before 3.20 gpsd sends `alt` alone, which is above mean sea level; later, it is a copy of another one.
static inline double cgps_altitude(const struct gps_fix_t *f) {
    return isfinite(f->altMSL) || isfinite(f->altHAE) ? f->altMSL : f->altitude;
}

static inline cgps_fix cgps_get_fix(const struct gps_data_t *g) {
    const struct gps_fix_t *f = &g->fix;
    return (cgps_fix){
        .seconds = f->time.tv_sec, .nanoseconds = f->time.tv_nsec, .mode = f->mode,
        .latitude = f->latitude, .longitude = f->longitude, .altitude_msl = cgps_altitude(f), .altitude_hae = f->altHAE,
        .speed = f->speed, .track = f->track, .climb = f->climb,
        .epx = f->epx, .epy = f->epy, .eph = f->eph, .epv = f->epv,
        .eps = f->eps, .epd = f->epd, .epc = f->epc, .geoid_separation = f->geoid_sep,
        .velocity_north = cgps_ned(f->NED.velN, f->NED.relPosN),
        .velocity_east = cgps_ned(f->NED.velE, f->NED.relPosE),
        .velocity_down = cgps_ned(f->NED.velD, f->NED.relPosD),
        .ecef_velocity_x = f->ecef.vx, .ecef_velocity_y = f->ecef.vy, .ecef_velocity_z = f->ecef.vz,
        .ept = f->ept, .dgps_age = f->dgps_age, .dgps_station = f->dgps_station,
#if GPSD_API_MAJOR_VERSION > 9
        .status = f->status,
#else
        .status = g->status,
#endif
#if GPSD_API_MAJOR_VERSION > 9 || GPSD_API_MINOR_VERSION >= 1
        .leap_seconds = g->leap_seconds,
#endif
    };
}

// The satellite at a place of the list; a PRN of 0 or less: none
static inline int cgps_satellite_places(void) { return MAXCHANNELS; }
static inline cgps_satellite cgps_satellite_at(const struct gps_data_t *g, int place) {
    const struct satellite_t *s = &g->skyview[place];
    return (cgps_satellite){
        .prn = s->PRN, .gnssid = s->gnssid, .svid = s->svid, .used = s->used,
        .elevation = s->elevation, .azimuth = s->azimuth, .signal = s->ss,
    };
}

// NaN: unknown
static inline double cgps_hdop(const struct gps_data_t *g) { return g->dop.hdop; }
static inline double cgps_vdop(const struct gps_data_t *g) { return g->dop.vdop; }
static inline double cgps_pdop(const struct gps_data_t *g) { return g->dop.pdop; }

// The texts live in the struct until the next line is unpacked
static inline const char *cgps_release(const struct gps_data_t *g) { return g->version.release; }
static inline const char *cgps_path(const struct gps_data_t *g) { return g->dev.path; }
static inline const char *cgps_driver(const struct gps_data_t *g) { return g->dev.driver; }

#endif
