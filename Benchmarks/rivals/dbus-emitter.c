// What geoclue and iio-sensor-proxy do: a service on a bus emits a signal at each reading, and the bus's daemon hands it to
// everyone with a match rule. The payload is the broker's own message, as one string.
// usage: dbus-emitter BUS_ADDRESS PERIOD_NS MESSAGE_FILE
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

static void check(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "dbus-emitter: %s: %s\n", what, strerror(-result));
	exit(1);
}

int main(int argc, char **argv)
{
	static char message[1 << 20];
	sd_bus *bus = NULL;
	if (argc != 4)
		return 64;
	FILE *file = fopen(argv[3], "r");
	size_t length = file ? fread(message, 1, sizeof(message) - 1, file) : 0;
	char *stamp = memmem(message, length, "\"timestampNanoseconds\":", 23);
	if (!stamp)
		return 1;
	stamp += 23;
	size_t digits = strspn(stamp, "0123456789");
	check(sd_bus_new(&bus), "sd_bus_new");
	check(sd_bus_set_address(bus, argv[1]), argv[1]);
	check(sd_bus_set_bus_client(bus, 1), "sd_bus_set_bus_client");
	check(sd_bus_start(bus), "sd_bus_start");
	uint64_t period = strtoull(argv[2], NULL, 10), fired;
	int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	uint64_t due = now.tv_sec * 1000000000ull + now.tv_nsec + period;
	struct itimerspec times = { { period / 1000000000, period % 1000000000 }, { due / 1000000000, due % 1000000000 } };
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &times, NULL);
	while (read(timer, &fired, sizeof(fired)) == sizeof(fired)) {
		uint64_t rest = due += (fired - 1) * period;
		for (size_t index = digits; index-- > 0; rest /= 10)
			stamp[index] = (char)('0' + rest % 10);
		due += period;
		check(sd_bus_emit_signal(bus, "/org/example/Sensor", "org.example.Sensor", "Reading", "s", message), "emit");
		check(sd_bus_flush(bus), "flush");
		while (sd_bus_process(bus, NULL) > 0)
			;
	}
	return 1;
}
