/* The feature report of a simulated HID sensor: what the kernel's drivers read and set. */
#include <stdint.h>

struct settings {
	uint8_t report;
	uint32_t interval_ms;
	uint16_t sensitivity;
	uint8_t power, reporting;
} __attribute__((packed));
