// The Linux calls that `import Glibc` lacks, for Swift: what a call takes and returns, and no decisions. Constants that Swift would
// import in three different shapes arrive as plain ints.
#ifndef SENSORBROKER_CLINUX_H
#define SENSORBROKER_CLINUX_H

#include "files.h"
#include "host.h"
#include "processes.h"
#include "sending.h"
#include "signals.h"
#include "sockets.h"
#include "waiting.h"

// Of the product SensorBrokerSimulation: only a program that links it has this function.
void *sensorbroker_simulation(void) __attribute__((weak));
static inline void *clinux_sensorbroker_simulation(void) {
    return sensorbroker_simulation ? sensorbroker_simulation() : NULL;
}

#endif
