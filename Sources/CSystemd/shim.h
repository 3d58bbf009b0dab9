// libsystemd: start-up notification, passed sockets, the watchdog. Variadic calls are invisible to Swift and not needed.
#ifndef SENSORBROKER_CSYSTEMD_H
#define SENSORBROKER_CSYSTEMD_H

#include <systemd/sd-daemon.h>

#endif
