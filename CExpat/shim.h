// expat for Swift: a macro as a function, and where the parser is, in 64 bits where expat has that: whose
// narrower functions are deprecated there.
#ifndef SENSORBROKER_CEXPAT_H
#define SENSORBROKER_CEXPAT_H

#include <expat.h>

static inline void *cexpat_user_data(XML_Parser parser) { return XML_GetUserData(parser); }

#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
static inline unsigned long long cexpat_line(XML_Parser parser) { return XML_GetCurrentLineNumber64(parser); }
static inline long long cexpat_byte(XML_Parser parser) { return XML_GetCurrentByteIndex64(parser); }
#else
static inline unsigned long long cexpat_line(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
static inline long long cexpat_byte(XML_Parser parser) { return XML_GetCurrentByteIndex(parser); }
#endif

#endif
