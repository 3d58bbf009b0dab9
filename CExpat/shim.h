// expat for Swift: the one macro that Swift needs, as a function.
#ifndef SENSORBROKER_CEXPAT_H
#define SENSORBROKER_CEXPAT_H

#include <expat.h>

static inline void *cexpat_user_data(XML_Parser parser) { return XML_GetUserData(parser); }

#endif
