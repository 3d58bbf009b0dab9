// The limit: an epoll loop in C that sends the same bytes to every client each time a timer fires, and does nothing else.
// It parses nothing, has no lanes, no gaps and no devices; the only thing it renders is the stamp, so that latency can be
// measured. A client whose socket is full misses the message, and is not told.
// usage: bare-loop [-t] SOCKET PERIOD_NS MESSAGE_FILE
// MESSAGE_FILE holds one message of the broker's, with its final NUL. With -t a thread takes the samples from the timer and
// hands each to the loop by an eventfd, as whoever uses a library that blocks has to: the same work, and one more wake-up.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CLIENTS = 65536 };

static char message[1 << 20];
static size_t length, stamp_length;
static char *stamp;
static int clients[MAX_CLIENTS], count;

static void read_message(const char *path)
{
	FILE *file = fopen(path, "r");
	length = file ? fread(message, 1, sizeof(message) - 1, file) : 0;
	char *found = memmem(message, length, "\"timestampNanoseconds\":", 23);
	if (!found) {
		fprintf(stderr, "bare-loop: no message with a stamp in %s\n", path);
		exit(1);
	}
	stamp = found + 23;
	stamp_length = strspn(stamp, "0123456789");
}

static void render(uint64_t ns)
{
	for (size_t index = stamp_length; index-- > 0; ns /= 10)
		stamp[index] = (char)('0' + ns % 10);
}

static int listen_at(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int number = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	strncpy(name.sun_path, path, sizeof(name.sun_path) - 1);
	unlink(path);
	if (number < 0 || bind(number, (struct sockaddr *)&name, sizeof(name)) || listen(number, 4096)) {
		perror(path);
		exit(1);
	}
	return number;
}

static void accept_all(int poll, int listener)
{
	int number;
	while ((number = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0 && count < MAX_CLIENTS) {
		epoll_ctl(poll, EPOLL_CTL_ADD, number, &(struct epoll_event){ EPOLLIN, { .fd = number } });
		clients[count++] = number;
	}
}

static void drop(int number)
{
	for (int index = 0; index < count; index++)
		if (clients[index] == number)
			clients[index] = clients[--count];
	close(number);
}

// A timer's file, and the stamp of its next sample.
struct clock {
	int timer;
	uint64_t period, due;
};

static struct clock make_clock(uint64_t period)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	struct clock clock = { timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC), period, now.tv_sec * 1000000000ull + now.tv_nsec + period };
	struct itimerspec times = { { period / 1000000000, period % 1000000000 }, { clock.due / 1000000000, clock.due % 1000000000 } };
	timerfd_settime(clock.timer, TFD_TIMER_ABSTIME, &times, NULL);
	return clock;
}

// The stamp of the newest sample, once the timer has fired. Waits for it.
static uint64_t take_sample(struct clock *clock)
{
	uint64_t fired = 1;
	while (read(clock->timer, &fired, sizeof(fired)) != sizeof(fired))
		;
	clock->due += fired * clock->period;
	return clock->due - clock->period;
}

// The device of a library that blocks: a thread takes the samples and hands each to the loop.
static struct {
	struct clock clock;
	_Atomic uint64_t newest;
	int bell;
} device;

static void *run_device(void *unused)
{
	for (;;) {
		device.newest = take_sample(&device.clock);
		eventfd_write(device.bell, 1);
	}
	return unused;
}

static uint64_t take_newest(void)
{
	eventfd_t rung;
	eventfd_read(device.bell, &rung);
	return device.newest;
}

static int start_device(uint64_t period)
{
	pthread_t thread;
	device.clock = make_clock(period);
	device.bell = eventfd(0, EFD_CLOEXEC);
	pthread_create(&thread, NULL, run_device, NULL);
	return device.bell;
}

static void send_all(uint64_t sampled)
{
	render(sampled);
	for (int client = 0; client < count; client++)
		send(clients[client], message, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int main(int argc, char **argv)
{
	static char received[16384];
	struct epoll_event events[256];
	bool is_behind_thread = argc == 5 && !strcmp(argv[1], "-t");
	if (argc != 4 + is_behind_thread)
		return 64;
	argv += is_behind_thread;
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ MAX_CLIENTS, MAX_CLIENTS });
	read_message(argv[3]);
	uint64_t period = strtoull(argv[2], NULL, 10);
	struct clock own = { 0 };
	int poll = epoll_create1(EPOLL_CLOEXEC), listener = listen_at(argv[1]);
	int samples = is_behind_thread ? start_device(period) : (own = make_clock(period)).timer;
	epoll_ctl(poll, EPOLL_CTL_ADD, listener, &(struct epoll_event){ EPOLLIN, { .fd = listener } });
	epoll_ctl(poll, EPOLL_CTL_ADD, samples, &(struct epoll_event){ EPOLLIN, { .fd = samples } });
	for (;;) {
		int ready = epoll_wait(poll, events, 256, -1);
		for (int index = 0; index < ready; index++) {
			int number = events[index].data.fd;
			if (number == listener)
				accept_all(poll, listener);
			else if (number == samples)
				send_all(is_behind_thread ? take_newest() : take_sample(&own));
			else if (recv(number, received, sizeof(received), 0) <= 0)
				drop(number);
		}
	}
}
