// libsystemd: start-up notification, passed sockets, the store of descriptors, the watchdog, and one question over D-Bus.
// Swift cannot call variadic functions; the one that is needed is wrapped here.
#ifndef SENSORBROKER_CSYSTEMD_H
#define SENSORBROKER_CSYSTEMD_H

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

// The job that a property of type (uo) names; null in job if it could not be read, "/" if there is none
static inline int csystemd_get_job(sd_bus *bus, const char *unit, sd_bus_message **reply, const char **job) {
    uint32_t number = 0;
    int result = sd_bus_get_property(bus, "org.freedesktop.systemd1", unit, "org.freedesktop.systemd1.Unit", "Job", NULL,
                                     reply, "(uo)");
    return result < 0 ? result : sd_bus_message_read(*reply, "(uo)", &number, job);
}

#endif
