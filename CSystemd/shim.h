// libsystemd: start-up notification, passed sockets, the store of descriptors, the watchdog, sessions, and D-Bus.
// Swift cannot call variadic functions; those that are needed are wrapped here.
#ifndef SENSORBROKER_CSYSTEMD_H
#define SENSORBROKER_CSYSTEMD_H

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-login.h>

// The job that a property of type (uo) names; null in job if it could not be read, "/" if there is none
static inline int csystemd_get_job(sd_bus *bus, const char *unit, sd_bus_message **reply, const char **job) {
    uint32_t number = 0;
    int result = sd_bus_get_property(bus, "org.freedesktop.systemd1", unit, "org.freedesktop.systemd1.Unit", "Job", NULL,
                                     reply, "(uo)");
    return result < 0 ? result : sd_bus_message_read(*reply, "(uo)", &number, job);
}

// 32 digits and a NUL
static inline int csystemd_bus_identity(sd_bus *bus, char *text) {
    sd_id128_t identity;
    int result = sd_bus_get_bus_id(bus, &identity);
    if (result >= 0) sd_id128_to_string(identity, text);
    return result;
}

static inline int csystemd_answer(sd_bus_message *call) { return sd_bus_reply_method_return(call, ""); }

// Asks the bus whose program has a name, without waiting for the answer
static inline int csystemd_ask_user(sd_bus *bus, const char *name, sd_bus_message_handler_t on_answer, void *context) {
    return sd_bus_call_method_async(bus, NULL, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                    "GetConnectionUnixUser", on_answer, context, "s", name);
}

// What serves the interfaces below. A held call is answered later, so its handler returns 1; one that gets a property appends it.
struct csystemd_handlers {
    int (*call)(void *context, sd_bus_message *call);
    int (*get)(void *context, const char *property, sd_bus_message *reply);
    void *context;
};

static inline int csystemd_on_call(sd_bus_message *call, void *handlers, sd_bus_error *error) {
    (void)error;
    return ((struct csystemd_handlers *)handlers)->call(((struct csystemd_handlers *)handlers)->context, call);
}

static inline int csystemd_on_get(sd_bus *bus, const char *path, const char *interface, const char *property,
                                  sd_bus_message *reply, void *handlers, sd_bus_error *error) {
    (void)bus, (void)path, (void)interface, (void)error;
    return ((struct csystemd_handlers *)handlers)->get(((struct csystemd_handlers *)handlers)->context, property, reply);
}

#define CSYSTEMD_METHOD(name) SD_BUS_METHOD(name, "", "", csystemd_on_call, SD_BUS_VTABLE_UNPRIVILEGED)
#define CSYSTEMD_PROPERTY(name, type) SD_BUS_PROPERTY(name, type, csystemd_on_get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)

// iio-sensor-proxy's interfaces, which are tables that only C can write. The handlers must outlive the bus.
static inline int csystemd_serve_sensor_proxy(sd_bus *bus, struct csystemd_handlers *handlers) {
    static const sd_bus_vtable sensors[] = {
        SD_BUS_VTABLE_START(0),
        CSYSTEMD_PROPERTY("HasAccelerometer", "b"),
        CSYSTEMD_PROPERTY("AccelerometerOrientation", "s"),
        CSYSTEMD_PROPERTY("AccelerometerTilt", "s"),
        CSYSTEMD_PROPERTY("HasAmbientLight", "b"),
        CSYSTEMD_PROPERTY("LightLevelUnit", "s"),
        CSYSTEMD_PROPERTY("LightLevel", "d"),
        CSYSTEMD_PROPERTY("HasProximity", "b"),
        CSYSTEMD_PROPERTY("ProximityNear", "b"),
        CSYSTEMD_METHOD("ClaimAccelerometer"),
        CSYSTEMD_METHOD("ReleaseAccelerometer"),
        CSYSTEMD_METHOD("ClaimLight"),
        CSYSTEMD_METHOD("ReleaseLight"),
        CSYSTEMD_METHOD("ClaimProximity"),
        CSYSTEMD_METHOD("ReleaseProximity"),
        SD_BUS_VTABLE_END,
    };
    static const sd_bus_vtable compass[] = {
        SD_BUS_VTABLE_START(0),
        CSYSTEMD_PROPERTY("HasCompass", "b"),
        CSYSTEMD_PROPERTY("CompassHeading", "d"),
        CSYSTEMD_METHOD("ClaimCompass"),
        CSYSTEMD_METHOD("ReleaseCompass"),
        SD_BUS_VTABLE_END,
    };
    int result = sd_bus_add_object_vtable(bus, NULL, "/net/hadess/SensorProxy", "net.hadess.SensorProxy", sensors, handlers);
    if (result >= 0)
        result = sd_bus_add_object_vtable(bus, NULL, "/net/hadess/SensorProxy/Compass", "net.hadess.SensorProxy.Compass",
                                          compass, handlers);
    return result;
}

#endif
