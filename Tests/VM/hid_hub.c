// A HID hub with eleven kinds of sensors, made through /dev/uhid: the kernel's own drivers turn each into an IIO device with a
// trigger and a buffer.
//
// usage: hid_hub    commands on standard input, each answered by a line on standard output:
//   plug | unplug           appears, disappears
//   set KIND V [V]...       every sample of a kind has these values, in the unit of its descriptor, from now on
//   stats                   `KIND=MS`, for each kind: the interval that the kernel asked for
//
// What the kernel needs in the descriptor is told in hid_accelerometer.c. A quaternion is one usage with four words.
#include <errno.h>
#include <fcntl.h>
#include <linux/uhid.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hid_settings.h"

enum { POWER_FULL = 2, POWER_OFF = 6, EVENTS_NONE = 1, EVENTS_ALL = 2, MOST_WORDS = 4 };

struct kind {
	const char *name;
	uint8_t usage;
	int words;
	uint16_t field[MOST_WORDS];
	bool quaternion, stamped;
	uint8_t exponent; // a nibble: 0xd is -3
	int32_t value[MOST_WORDS];
};

static struct kind kinds[] = {
	{ "accel", 0x73, 3, { 0x0453, 0x0454, 0x0455 }, false, true, 0xd, { 0, 0, 1000 } },
	{ "gyro", 0x76, 3, { 0x0457, 0x0458, 0x0459 }, false, true, 0xd, { 1000, -2000, 90000 } },
	{ "magn", 0x83, 4, { 0x0485, 0x0486, 0x0487, 0x0475 }, false, true, 0x0, { 200, -30, 450, 123 } },
	{ "als", 0x41, 1, { 0x04d1 }, false, true, 0xe, { 12345 } },
	{ "prox", 0x11, 1, { 0x04b1 }, false, false, 0x0, { 1 } },
	{ "press", 0x31, 1, { 0x0431 }, false, true, 0xc, { 10132 } },
	{ "temp", 0x33, 1, { 0x0434 }, false, true, 0xe, { 2150 } },
	{ "incl", 0x86, 3, { 0x047f, 0x0480, 0x0481 }, false, true, 0xe, { 4500, -9000, 0 } },
	{ "rot", 0x8a, 4, { 0x0483 }, true, true, 0xa, { 0, 0, 707107, 707107 } },
	{ "gravity", 0x7b, 3, { 0x0453, 0x0454, 0x0455 }, false, true, 0xd, { 0, 0, 1000 } },
	{ "relrot", 0x8e, 4, { 0x0483 }, true, true, 0xa, { 0, 0, 0, 1000000 } },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static struct settings settings[KINDS];
static uint64_t due[KINDS];
static int hub = -1;
static uint8_t descriptor[HID_MAX_DESCRIPTOR_SIZE];
static size_t length;

static void put(int count, ...)
{
	__builtin_va_list bytes;
	__builtin_va_start(bytes, count);
	while (count--)
		descriptor[length++] = __builtin_va_arg(bytes, int);
	__builtin_va_end(bytes);
}

static void usage(uint16_t number) { put(3, 0x0a, number & 0xff, number >> 8); }

static void selector(uint16_t number, uint16_t first)
{
	usage(number);
	put(8, 0x15, 1, 0x25, 6, 0x75, 8, 0xa1, 2);
	for (int place = 0; place < 6; place++)
		usage(first + place);
	put(3, 0xb1, 0, 0xc0);
}

static void describe(int number)
{
	const struct kind *kind = &kinds[number];
	put(4, 0x85, number + 1, 0x09, kind->usage);
	put(2, 0xa1, 0x00);
	usage(0x030e); // report interval
	put(7, 0x15, 0, 0x27, 0xff, 0xff, 0xff, 0x7f);
	put(10, 0x75, 32, 0x95, 1, 0x55, 0, 0x65, 0, 0xb1, 2);
	usage(0x030f); // change sensitivity
	put(7, 0x15, 0, 0x27, 0xff, 0xff, 0, 0);
	put(10, 0x75, 16, 0x95, 1, 0x55, 0x0d, 0xb1, 2, 0x55, 0);
	selector(0x0319, 0x0850); // power state
	selector(0x0316, 0x0840); // reporting state
	put(10, 0x17, 0, 0, 0, 0x80, 0x27, 0xff, 0xff, 0xff, 0x7f);
	put(6, 0x75, 32, 0x55, kind->exponent, 0x65, 0);
	put(2, 0x95, kind->quaternion ? kind->words : 1);
	for (int field = 0; field < (kind->quaternion ? 1 : kind->words); field++) {
		usage(kind->field[field]);
		put(2, 0x81, 2);
	}
	if (kind->stamped) {
		usage(0x0529);
		put(7, 0x15, 0, 0x27, 0xff, 0xff, 0xff, 0x7f);
		put(10, 0x75, 64, 0x95, 1, 0x65, 0, 0x55, 0xa, 0x81, 2);
	}
	put(1, 0xc0);
}

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_BOOTTIME, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static int fill(int number, uint8_t *out, uint64_t at)
{
	const struct kind *kind = &kinds[number];
	int size = 0;
	out[size++] = number + 1;
	memcpy(out + size, kind->value, sizeof(int32_t) * kind->words);
	size += sizeof(int32_t) * kind->words;
	if (kind->stamped) {
		uint64_t microseconds = at / 1000;
		memcpy(out + size, &microseconds, sizeof microseconds);
		size += sizeof microseconds;
	}
	return size;
}

static void post(const struct uhid_event *event, size_t size)
{
	if (write(hub, event, size) != (ssize_t)size)
		perror("hid_hub: /dev/uhid");
}

static bool plug(void)
{
	hub = open("/dev/uhid", O_RDWR | O_CLOEXEC);
	if (hub < 0)
		return false;
	length = 0;
	put(8, 0x05, 0x20, 0x09, 0x01, 0xa1, 0x01, 0x95, 1);
	for (int number = 0; number < KINDS; number++) {
		settings[number] = (struct settings){ number + 1, 100, 0, POWER_OFF, EVENTS_NONE };
		due[number] = 0;
		describe(number);
	}
	put(1, 0xc0);
	struct uhid_event event = { .type = UHID_CREATE2 };
	strcpy((char *)event.u.create2.name, "Test Hub");
	strcpy((char *)event.u.create2.uniq, "HUB1");
	memcpy(event.u.create2.rd_data, descriptor, length);
	event.u.create2.rd_size = length;
	event.u.create2.bus = 3;
	event.u.create2.vendor = 0x1209;
	event.u.create2.product = 2;
	post(&event, sizeof event);
	return true;
}

// What is due, and how many milliseconds are left until something is; -1: nothing will be.
static int sample(void)
{
	int wait = -1;
	for (int number = 0; number < KINDS; number++) {
		if (hub < 0 || settings[number].power != POWER_FULL || settings[number].reporting != EVENTS_ALL) {
			due[number] = 0;
			continue;
		}
		uint64_t time = now(), step = settings[number].interval_ms * 1000000ull;
		if (!due[number])
			due[number] = time + step;
		while (due[number] <= time) {
			struct uhid_event event = { .type = UHID_INPUT2 };
			event.u.input2.size = fill(number, event.u.input2.data, due[number]);
			post(&event, offsetof(struct uhid_event, u.input2.data) + event.u.input2.size);
			due[number] += step;
		}
		int left = (due[number] - time) / 1000000 + 1;
		if (wait < 0 || left < wait)
			wait = left;
	}
	return wait;
}

static void serve(void)
{
	struct uhid_event query, reply = { 0 };
	if (read(hub, &query, sizeof query) <= 0)
		return;
	if (query.type == UHID_GET_REPORT) {
		int number = query.u.get_report.rnum - 1;
		reply.type = UHID_GET_REPORT_REPLY;
		reply.u.get_report_reply.id = query.u.get_report.id;
		if (number < 0 || number >= KINDS) {
			reply.u.get_report_reply.err = EIO;
		} else if (query.u.get_report.rtype == UHID_INPUT_REPORT) {
			reply.u.get_report_reply.size = fill(number, reply.u.get_report_reply.data, now());
		} else {
			reply.u.get_report_reply.size = sizeof *settings;
			memcpy(reply.u.get_report_reply.data, &settings[number], sizeof *settings);
		}
		post(&reply, sizeof reply);
	} else if (query.type == UHID_SET_REPORT) {
		struct settings wanted;
		memcpy(&wanted, query.u.set_report.data, sizeof wanted);
		int number = wanted.report - 1;
		if (number >= 0 && number < KINDS) {
			// The kernel writes whole reports out of its cache, in which what was never set is 0.
			if (wanted.interval_ms)
				settings[number].interval_ms = wanted.interval_ms;
			if (wanted.power)
				settings[number].power = wanted.power;
			if (wanted.reporting)
				settings[number].reporting = wanted.reporting;
		}
		reply.type = UHID_SET_REPORT_REPLY;
		reply.u.set_report_reply.id = query.u.set_report.id;
		post(&reply, sizeof reply);
	}
}

static bool set(char *words)
{
	char *name = strtok(words, " \n");
	for (int number = 0; name && number < KINDS; number++) {
		if (strcmp(name, kinds[number].name))
			continue;
		for (int word = 0; word < kinds[number].words; word++) {
			char *text = strtok(NULL, " \n");
			if (!text)
				return false;
			kinds[number].value[word] = atoi(text);
		}
		return true;
	}
	return false;
}

static bool obey(char *line)
{
	if (!strcmp(line, "plug\n") && hub < 0)
		return plug();
	if (!strcmp(line, "unplug\n") && hub >= 0) {
		close(hub);
		hub = -1;
		return true;
	}
	if (!strncmp(line, "set ", 4))
		return set(line + 4);
	return !strcmp(line, "stats\n");
}

int main(void)
{
	char line[256];
	setvbuf(stdin, NULL, _IONBF, 0);
	for (;;) {
		struct pollfd files[2] = { { 0, POLLIN, 0 }, { hub, POLLIN, 0 } };
		int wait = sample();
		if (poll(files, 2, wait) < 0)
			return 1;
		if (files[1].revents)
			serve();
		if (!files[0].revents)
			continue;
		if (!fgets(line, sizeof line, stdin))
			return 0;
		bool isStats = !strcmp(line, "stats\n");
		printf("%s", obey(line) ? "ok" : "error");
		for (int number = 0; isStats && number < KINDS; number++)
			printf(" %s=%u", kinds[number].name, settings[number].interval_ms);
		puts("");
		fflush(stdout);
	}
}
