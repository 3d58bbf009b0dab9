// Many clients of a stream server in one process, or each in a process of its own: reads what comes and counts it.
// usage: sink [OPTION]... ADDRESS    ADDRESS: a path of a Unix socket, or HOST:PORT
//   -n N     so many clients (1)              -c FILE  the bytes to send first
//   -p       a process each                   -t BYTE  what ends a message: 0 (default) or 10
//   -s LANES INTERVAL in the call becomes one of so many between 10 and 20 ms, for each client the next
//   -k TEXT  counts only messages with TEXT in it
//   -l FILE  the first client writes "RECEIVED_NS MESSAGE" lines
//   -b HOW   read (default) | slow: reads at most 1 KiB every 100 ms | stuck: never reads | flood: also sends its call without end
// It is told what to do on standard input: see tally.h. Neighbours (other than read) are not counted.
#define _GNU_SOURCE
#include "tally.h"
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum behaviour { READ, SLOW, STUCK, FLOOD };
enum { ROOM = 256 * 1024 };

struct client {
	int socket;
	bool is_first;
	size_t length; // of the message that has begun
	char *begun;
	size_t room;
};

static const char *address, *call = "", *key = "";
static size_t call_length;
static long lanes = 1;
static char terminator;
static enum behaviour behaviour;
static FILE *log_file;
static struct tally *tally;
static int first_socket = -1;

static void fail(const char *what)
{
	fprintf(stderr, "sink: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int connect_unix(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strncpy(name.sun_path, address, sizeof(name.sun_path) - 1);
	if (number < 0 || connect(number, (struct sockaddr *)&name, sizeof(name)))
		fail(address);
	return number;
}

static int connect_tcp(const char *port)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons(atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (number < 0 || connect(number, (struct sockaddr *)&name, sizeof(name)))
		fail(address);
	return number;
}

// The call of one client, which may ask for an interval of its own.
static void send_call(int number, int index)
{
	char own[4096];
	const char *place = memmem(call, call_length, "INTERVAL", 8);
	size_t length = call_length;
	if (place && call_length < sizeof(own) - 32) {
		size_t before = place - call;
		memcpy(own, call, before);
		int digits = sprintf(own + before, "%ld", 10000000 + 10000000 / lanes * (index % lanes));
		memcpy(own + before + digits, place + 8, call_length - before - 8);
		length = call_length - 8 + digits;
	}
	if (length && send(number, place ? own : call, length, MSG_NOSIGNAL) != (ssize_t)length)
		fail("send");
}

static int connect_client(int index)
{
	const char *colon = strrchr(address, ':');
	int number = address[0] != '/' && colon ? connect_tcp(colon + 1) : connect_unix();
	send_call(number, index);
	return number;
}

static uint64_t stamp_of(const char *message, size_t length)
{
	static const char name[] = "\"timestampNanoseconds\":";
	const char *found = memmem(message, length, name, sizeof(name) - 1);
	return found ? strtoull(found + sizeof(name) - 1, NULL, 10) : 0;
}

// Of an acceleration: how many there are in its first axis. Else 1.
static int samples_of(const char *message, size_t length)
{
	const char *axis = memmem(message, length, "\"x\":[", 5), *end = message + length;
	int count = 1;
	for (; axis && axis < end && *axis != ']'; axis++)
		count += *axis == ',';
	return count;
}

// How many readings a message tells to be lost; one for each gap of which that is not known.
static int lost_of(const char *message, size_t length)
{
	const char *gap = memmem(message, length, "\"gaps\":[", 8), *end = message + length;
	int lost = 0;
	while (gap && gap < end && (gap = memmem(gap, end - gap, "\"cause\"", 7))) {
		gap++;
		const char *next = memmem(gap, end - gap, "\"cause\"", 7);
		const char *count = memmem(gap, (next ? next : end) - gap, "\"count\":", 8);
		lost += count ? atoi(count + 8) : 1;
	}
	return lost;
}

static void take(struct client *client, const char *message, size_t length, uint64_t now)
{
	if (*key && !memmem(message, length, key, strlen(key)))
		return;
	if (client->is_first) {
		client->is_first = false;
		tally_first(tally);
	}
	if (client->socket == first_socket && log_file)
		fprintf(log_file, "%lu %.*s\n", now, (int)length, message);
	if (!tally->is_open)
		return;
	tally->lost += lost_of(message, length);
	tally->samples += samples_of(message, length);
	tally_message(tally, stamp_of(message, length), now);
}

static void keep(struct client *client, const char *bytes, size_t count)
{
	if (client->length + count + 1 > client->room) {
		client->room = 2 * (client->length + count + 1);
		client->begun = realloc(client->begun, client->room);
		if (!client->begun)
			fail("realloc");
	}
	memcpy(client->begun + client->length, bytes, count);
	client->length += count;
	client->begun[client->length] = 0;
}

static bool receive(struct client *client)
{
	static char bytes[ROOM];
	ssize_t count = recv(client->socket, bytes, behaviour == SLOW ? 1024 : sizeof(bytes) - 1, MSG_DONTWAIT);
	if (count <= 0)
		return count < 0 && (errno == EAGAIN || errno == EINTR);
	uint64_t now = boot_ns();
	if (tally->is_open)
		tally->bytes += count;
	bytes[count] = 0;
	char *start = bytes, *end;
	while ((end = memchr(start, terminator, bytes + count - start))) {
		if (client->length) {
			keep(client, start, end - start);
			take(client, client->begun, client->length, now);
			client->length = 0;
		} else {
			*end = 0;
			take(client, start, end - start, now);
		}
		start = end + 1;
	}
	if (start < bytes + count)
		keep(client, start, bytes + count - start);
	return true;
}

static void send_calls(int number)
{
	while (send(number, call, call_length, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
}

// Serves its clients until the conductor ends it.
static void run(int clients)
{
	int poll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event events[256];
	for (int index = 0; index < clients; index++) {
		struct client *client = calloc(1, sizeof(*client));
		uint32_t wanted = behaviour == STUCK ? 0 : behaviour == FLOOD ? EPOLLIN | EPOLLOUT : EPOLLIN;
		*client = (struct client){ .socket = connect_client(index), .is_first = behaviour == READ };
		if (index == 0)
			first_socket = client->socket;
		if (epoll_ctl(poll, EPOLL_CTL_ADD, client->socket, &(struct epoll_event){ wanted, { .ptr = client } }))
			fail("epoll_ctl");
		if (behaviour != READ)
			tally_first(tally);
	}
	while (!tally->is_over) {
		int count = epoll_wait(poll, events, 256, 100);
		for (int index = 0; index < count; index++) {
			struct client *client = events[index].data.ptr;
			if (behaviour == FLOOD && events[index].events & EPOLLOUT)
				send_calls(client->socket);
			if (!receive(client) && !tally->is_over) {
				fprintf(stderr, "sink: the server closed a connection\n");
				epoll_ctl(poll, EPOLL_CTL_DEL, client->socket, NULL);
			}
		}
		if (behaviour == SLOW)
			usleep(100000);
	}
}

static void read_call(const char *path)
{
	static char bytes[65536];
	FILE *file = fopen(path, "r");
	if (!file)
		fail(path);
	call_length = fread(bytes, 1, sizeof(bytes), file);
	call = bytes;
	fclose(file);
}

static void open_log(const char *path)
{
	log_file = fopen(path, "w");
	if (!log_file)
		fail(path);
	setvbuf(log_file, NULL, _IOLBF, 0);
}

static enum behaviour behaviour_named(const char *name)
{
	return !strcmp(name, "slow") ? SLOW : !strcmp(name, "stuck") ? STUCK : !strcmp(name, "flood") ? FLOOD : READ;
}

int main(int argc, char **argv)
{
	int clients = 1, option;
	bool processes = false;
	while ((option = getopt(argc, argv, "n:pc:s:t:k:l:b:")) != -1) {
		switch (option) {
		case 'n': clients = atoi(optarg); break;
		case 'p': processes = true; break;
		case 'c': read_call(optarg); break;
		case 's': lanes = atol(optarg) > 0 ? atol(optarg) : 1; break;
		case 't': terminator = (char)atoi(optarg); break;
		case 'k': key = optarg; break;
		case 'l': open_log(optarg); break;
		case 'b': behaviour = behaviour_named(optarg); break;
		default: return 64;
		}
	}
	address = argv[optind];
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 65536, 65536 });
	tally = tally_make(clients);
	tally_start(clients, processes, run);
	tally_conduct(tally);
	_exit(0);
}
