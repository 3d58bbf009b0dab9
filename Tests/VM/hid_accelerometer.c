// A HID sensor hub with one accelerometer, made through /dev/uhid: the kernel's own drivers turn it into an IIO device
// with a trigger and a buffer, as they do with the hub of a laptop.
//
// usage: hid_accelerometer [SERIAL]    commands on standard input, each answered by a line on standard output:
//   plug | unplug       appears, disappears
//   still X Y Z         every sample has these values, in mg
//   count               x and y are 0, and z counts samples (the beginning)
//   stall | resume      sends nothing, although asked to; goes on
//   lie MS              samples every MS milliseconds, whatever it was told and says; 0: honest
//   mute | talk         leaves writes of its settings unanswered, which blocks the writer for 5 s; answers
//   stats               `interval=MS sent=N unanswered=N`: what the kernel asked for, samples sent since plugged, and writes
//                       left unanswered
//
// What the kernel needs in the descriptor: power and reporting states are selectors counted from 1; exponent -3 without a
// unit gives mg; a 64-bit time stamp with exponent -6 and no unit gives microseconds.
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
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "hid_settings.h"

enum { REPORT = 1, POWER_FULL = 2, POWER_OFF = 6, EVENTS_NONE = 1, EVENTS_ALL = 2 };

struct input {
	uint8_t report;
	int32_t axis[3];
	uint64_t microseconds;
} __attribute__((packed));

#define U16(value) (value) & 0xff, (value) >> 8

static const uint8_t descriptor[] = {
	0x05, 0x20, 0x09, 0x01, 0xa1, 0x01, 0x85, REPORT, // sensors: a collection, application
	0x05, 0x20, 0x09, 0x73, 0xa1, 0x00,               // motion, accelerometer 3D: physical
	0x0a, U16(0x030e), 0x15, 0x00, 0x27, 0xff, 0xff, 0xff, 0x7f, // report interval
	0x75, 32, 0x95, 1, 0x55, 0x00, 0x65, 0x00, 0xb1, 0x02,
	0x0a, U16(0x1452), 0x15, 0x00, 0x27, 0xff, 0xff, 0x00, 0x00, // change sensitivity, absolute
	0x75, 16, 0x95, 1, 0x55, 0x0d, 0xb1, 0x02, 0x55, 0x00,
	0x0a, U16(0x0319), 0x15, 0x01, 0x25, 0x06, 0x75, 8, 0x95, 1, 0xa1, 0x02, // power state
	0x0a, U16(0x0850), 0x0a, U16(0x0851), 0x0a, U16(0x0852), 0x0a, U16(0x0853), 0x0a, U16(0x0854), 0x0a, U16(0x0855),
	0xb1, 0x00, 0xc0,
	0x0a, U16(0x0316), 0x15, 0x01, 0x25, 0x06, 0x75, 8, 0x95, 1, 0xa1, 0x02, // reporting state
	0x0a, U16(0x0840), 0x0a, U16(0x0841), 0x0a, U16(0x0842), 0x0a, U16(0x0843), 0x0a, U16(0x0844), 0x0a, U16(0x0845),
	0xb1, 0x00, 0xc0,
	0x17, 0x00, 0x00, 0x00, 0x80, 0x27, 0xff, 0xff, 0xff, 0x7f, 0x75, 32, 0x95, 1, 0x55, 0x0d, // data: x, y, z
	0x0a, U16(0x0453), 0x81, 0x02, 0x0a, U16(0x0454), 0x81, 0x02, 0x0a, U16(0x0455), 0x81, 0x02,
	0x0a, U16(0x0529), 0x15, 0x00, 0x27, 0xff, 0xff, 0xff, 0x7f, // time stamp
	0x75, 64, 0x95, 1, 0x65, 0x00, 0x55, 0x0a, 0x81, 0x02,
	0xc0, 0xc0,
};

static const char *serial = "";
static int hub, timer;
static struct settings settings;
static struct input input = { .report = REPORT };
static bool plugged, stalled, muted, counting = true;
static unsigned lie_ms;
static uint64_t sent, unanswered, due_ns, step_ns;

static void post(const struct uhid_event *event, size_t size)
{
	if (write(hub, event, size) != (ssize_t)size)
		fprintf(stderr, "hid_accelerometer: /dev/uhid: %s\n", strerror(errno));
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void measure(uint64_t at_ns)
{
	input.microseconds = at_ns / 1000;
	if (counting)
		input.axis[2] = (int32_t)sent;
	sent++;
}

// A sensor stamps a sample when it is due, however late this program runs.
static void send_sample(void)
{
	struct uhid_event event = { .type = UHID_INPUT2 };
	measure(due_ns);
	due_ns += step_ns;
	event.u.input2.size = sizeof(input);
	memcpy(event.u.input2.data, &input, sizeof(input));
	post(&event, offsetof(struct uhid_event, u.input2.data) + sizeof(input));
}

static void send_due(void)
{
	while (step_ns && due_ns <= now_ns())
		send_sample();
}

// What was due at the old pace is sent first: a sensor does not skip samples because this program is late.
static void arm(void)
{
	bool on = plugged && !stalled && settings.power == POWER_FULL && settings.reporting == EVENTS_ALL;
	uint64_t ns = on ? (lie_ms ? lie_ms : settings.interval_ms) * 1000000ull : 0;
	if (ns == step_ns)
		return;
	if (plugged)
		send_due();
	step_ns = ns;
	due_ns = now_ns() + ns;
	struct itimerspec period = {
		.it_interval = { .tv_sec = ns / 1000000000u, .tv_nsec = ns % 1000000000u },
		.it_value = { .tv_sec = due_ns / 1000000000u, .tv_nsec = due_ns % 1000000000u },
	};
	if (!ns)
		period.it_value = period.it_interval;
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &period, NULL);
}

static void plug(void)
{
	struct uhid_event event = { .type = UHID_CREATE2 };
	struct uhid_create2_req *create = &event.u.create2;
	if (plugged)
		return;
	settings = (struct settings){ REPORT, 100, 0, POWER_OFF, EVENTS_NONE };
	sent = 0;
	strcpy((char *)create->name, "Test Accelerometer");
	strncpy((char *)create->uniq, serial, sizeof(create->uniq) - 1);
	memcpy(create->rd_data, descriptor, sizeof(descriptor));
	create->rd_size = sizeof(descriptor);
	create->bus = 3;
	create->vendor = 0x1209;
	create->product = 1;
	plugged = true;
	post(&event, sizeof(event));
}

static void unplug(void)
{
	struct uhid_event event = { .type = UHID_DESTROY };
	if (!plugged)
		return;
	plugged = false;
	arm();
	post(&event, sizeof(event));
}

static void answer_read(const struct uhid_event *question)
{
	struct uhid_event event = { .type = UHID_GET_REPORT_REPLY };
	struct uhid_get_report_reply_req *reply = &event.u.get_report_reply;
	bool wants_input = question->u.get_report.rtype == UHID_INPUT_REPORT;
	reply->id = question->u.get_report.id;
	reply->size = wants_input ? sizeof(input) : sizeof(settings);
	if (wants_input)
		measure(now_ns());
	memcpy(reply->data, wants_input ? (void *)&input : (void *)&settings, reply->size);
	post(&event, sizeof(event));
}

// The kernel writes whole reports from a cache that it never read: a zero in it is no choice, and changes nothing.
static void answer_write(const struct uhid_event *question)
{
	struct uhid_event event = { .type = UHID_SET_REPORT_REPLY };
	struct settings wanted;
	memcpy(&wanted, question->u.set_report.data, sizeof(wanted));
	if (muted) {
		unanswered++;
		return;
	}
	if (wanted.interval_ms)
		settings.interval_ms = wanted.interval_ms;
	if (wanted.power)
		settings.power = wanted.power;
	if (wanted.reporting)
		settings.reporting = wanted.reporting;
	event.u.set_report_reply.id = question->u.set_report.id;
	post(&event, sizeof(event));
	arm();
}

static void hear_kernel(void)
{
	struct uhid_event event;
	if (read(hub, &event, sizeof(event)) <= 0)
		return;
	if (event.type == UHID_GET_REPORT)
		answer_read(&event);
	else if (event.type == UHID_SET_REPORT)
		answer_write(&event);
}

static void tick(void)
{
	uint64_t due = 0;
	if (read(timer, &due, sizeof(due)) == sizeof(due))
		send_due();
}

static bool obey(char *line)
{
	int x, y, z;
	if (!strcmp(line, "plug")) plug();
	else if (!strcmp(line, "unplug")) unplug();
	else if (!strcmp(line, "stall")) stalled = true;
	else if (!strcmp(line, "resume")) stalled = false;
	else if (!strcmp(line, "mute")) muted = true;
	else if (!strcmp(line, "talk")) muted = false;
	else if (sscanf(line, "lie %u", &lie_ms) == 1) ;
	else if (!strcmp(line, "count")) { counting = true; memset(input.axis, 0, sizeof(input.axis)); }
	else if (sscanf(line, "still %d %d %d", &x, &y, &z) == 3) {
		counting = false;
		memcpy(input.axis, (int32_t[]){ x, y, z }, sizeof(input.axis));
	} else return !strcmp(line, "stats");
	arm();
	return true;
}

// Unbuffered: stdio would hide a second line from poll(2). False at the end of the commands.
static bool hear_tester(void)
{
	char line[64];
	size_t length = 0;
	while (length < sizeof(line) - 1) {
		if (read(STDIN_FILENO, line + length, 1) != 1)
			return false;
		if (line[length] == '\n')
			break;
		length++;
	}
	line[length] = 0;
	bool known = obey(line);
	printf("%s interval=%u sent=%llu unanswered=%llu\n", known ? "ok" : "unknown", settings.interval_ms,
	       (unsigned long long)sent, (unsigned long long)unanswered);
	fflush(stdout);
	return true;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		serial = argv[1];
	hub = open("/dev/uhid", O_RDWR | O_CLOEXEC);
	timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (hub < 0 || timer < 0) {
		perror("hid_accelerometer: /dev/uhid");
		return 1;
	}
	struct pollfd ready[3] = { { hub, POLLIN, 0 }, { timer, POLLIN, 0 }, { STDIN_FILENO, POLLIN, 0 } };
	for (;;) {
		if (poll(ready, 3, -1) < 0)
			return 1;
		if (ready[0].revents)
			hear_kernel();
		if (ready[1].revents)
			tick();
		if (ready[2].revents && !hear_tester())
			return 0;
	}
}
