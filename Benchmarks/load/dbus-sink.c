// Many listeners of a signal on a bus, each with a connection of its own, in one process or one process each.
// usage: dbus-sink [-n N] [-p] BUS_ADDRESS    it is told what to do on standard input: see tally.h
#define _GNU_SOURCE
#include "tally.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

struct listener {
	sd_bus *bus;
	bool has_heard;
};

static const char *address;
static struct tally *tally;

static void check(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "dbus-sink: %s: %s\n", what, strerror(-result));
	exit(1);
}

static int hear(sd_bus_message *message, void *user, sd_bus_error *error)
{
	(void)error;
	struct listener *listener = user;
	const char *text = NULL;
	uint64_t now = boot_ns();
	if (sd_bus_message_read(message, "s", &text) < 0)
		return 0;
	if (!listener->has_heard)
		tally_first(tally);
	listener->has_heard = true;
	if (!tally->is_open)
		return 0;
	const char *found = strstr(text, "\"timestampNanoseconds\":");
	tally->bytes += strlen(text);
	tally_message(tally, found ? strtoull(found + 23, NULL, 10) : 0, now);
	return 0;
}

static void run(int count)
{
	int poll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event events[256];
	for (int index = 0; index < count; index++) {
		struct listener *listener = calloc(1, sizeof(*listener));
		check(sd_bus_new(&listener->bus), "sd_bus_new");
		check(sd_bus_set_address(listener->bus, address), address);
		check(sd_bus_set_bus_client(listener->bus, 1), "sd_bus_set_bus_client");
		check(sd_bus_start(listener->bus), "sd_bus_start");
		check(sd_bus_match_signal(listener->bus, NULL, NULL, "/org/example/Sensor", "org.example.Sensor", "Reading", hear, listener),
		      "sd_bus_match_signal");
		epoll_ctl(poll, EPOLL_CTL_ADD, sd_bus_get_fd(listener->bus), &(struct epoll_event){ EPOLLIN, { .ptr = listener } });
		// What came with the answers is in the connection's queue already.
		while (sd_bus_process(listener->bus, NULL) > 0)
			;
	}
	while (!tally->is_over) {
		int ready = epoll_wait(poll, events, 256, 100);
		for (int index = 0; index < ready; index++) {
			struct listener *listener = events[index].data.ptr;
			while (sd_bus_process(listener->bus, NULL) > 0)
				;
		}
	}
}

int main(int argc, char **argv)
{
	int count = 1, option;
	bool processes = false;
	while ((option = getopt(argc, argv, "n:p")) != -1) {
		if (option == 'n') count = atoi(optarg);
		else if (option == 'p') processes = true;
		else return 64;
	}
	address = argv[optind];
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 65536, 65536 });
	tally = tally_make(count);
	tally_start(count, processes, run);
	tally_conduct(tally);
	_exit(0);
}
