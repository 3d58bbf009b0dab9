// Many clients of an iiod, each with a connection of its own, in one process: each opens the device and asks for a buffer,
// and for the next one as soon as it has got one, as libiio does. A sample is 24 bytes: a counter, two more numbers, a stamp.
// usage: iiod-sink [-n N] [-s SAMPLES] [-b HOW] PORT    it is told what to do on standard input: see tally.h
//   -s SAMPLES  in a buffer (1)
//   -b HOW      and a neighbour, that is not counted: big, with buffers of a hundred samples | slow, that asks again only after
//               400 ms | stuck, that asks for very much and reads nothing of it
// Nobody asks before all are open, for iiod leaves requests unanswered during which somebody else opens the device.
// What is lost the counter shows.
#define _GNU_SOURCE
#include "tally.h"
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum behaviour { READ, BIG, SLOW, STUCK };
enum { SAMPLE = 24, STAMP = 16, MASK = 9, ROOM = 1 << 14 };
static const uint64_t slow_pause_ns = 400000000;

struct client {
	int socket, samples;
	enum behaviour behaviour;
	bool is_open, has_samples;
	int32_t last;
	uint64_t asks_at; // 0: has asked
	size_t length;
	char begun[ROOM];
};

static int port, samples = 1, closed; // so many are not open yet
static enum behaviour neighbour;
static struct tally *tally;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "iiod-sink: %s: %s\n", what, why);
	exit(1);
}

static void say(struct client *client, const char *words)
{
	if (send(client->socket, words, strlen(words), MSG_NOSIGNAL) != (ssize_t)strlen(words))
		fail("send", strerror(errno));
}

static void ask(struct client *client)
{
	char words[64];
	client->asks_at = 0;
	snprintf(words, sizeof(words), "READBUF iio:device0 %d\r\n", client->behaviour == STUCK ? 1 << 30 : client->samples * SAMPLE);
	say(client, words);
}

static void take(struct client *client, const char *buffer, size_t length, uint64_t now)
{
	uint64_t stamp;
	int32_t counter;
	for (const char *sample = buffer; sample < buffer + length; sample += SAMPLE) {
		memcpy(&counter, sample, sizeof(counter));
		if (client->has_samples && tally->is_open && client->behaviour == READ)
			tally->lost += counter - client->last - 1;
		if (!client->has_samples)
			tally_first(tally);
		client->has_samples = true;
		client->last = counter;
	}
	memcpy(&stamp, buffer + length - SAMPLE + STAMP, sizeof(stamp));
	if (!tally->is_open || client->behaviour != READ)
		return;
	tally->samples += length / SAMPLE;
	tally_message(tally, stamp, now);
}

// How many bytes at the beginning are done with; 0: more has to come.
static size_t take_answer(struct client *client, uint64_t now)
{
	char *end = memchr(client->begun, '\n', client->length);
	if (!end)
		return 0;
	long value = strtol(client->begun, NULL, 10);
	if (value < 0)
		fail(client->is_open ? "READBUF" : "OPEN", strerror(-value));
	if (!client->is_open) {
		client->is_open = true;
		closed--;
		return end + 1 - client->begun;
	}
	size_t head = end + 1 - client->begun + MASK;
	if (client->length < head + value)
		return 0;
	if (value)
		take(client, client->begun + head, value, now);
	client->asks_at = now + (client->behaviour == SLOW ? slow_pause_ns : 0);
	return head + value;
}

static void receive(struct client *client)
{
	ssize_t count = recv(client->socket, client->begun + client->length, ROOM - client->length, MSG_DONTWAIT);
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count <= 0)
		fail("recv", count ? strerror(errno) : "the server closed the connection");
	uint64_t now = boot_ns();
	if (tally->is_open && client->behaviour == READ)
		tally->bytes += count;
	client->length += count;
	size_t done;
	while ((done = take_answer(client, now))) {
		client->length -= done;
		memmove(client->begun, client->begun + done, client->length);
	}
	if (client->asks_at && client->asks_at <= now)
		ask(client);
}

static struct client *open_device(int poll, enum behaviour behaviour)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct client *client = calloc(1, sizeof(*client));
	char words[64];
	client->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	client->behaviour = behaviour;
	client->samples = behaviour == BIG ? 100 : samples;
	if (behaviour == STUCK)
		setsockopt(client->socket, SOL_SOCKET, SO_RCVBUF, &(int){ 4096 }, sizeof(int));
	if (connect(client->socket, (struct sockaddr *)&name, sizeof(name)))
		fail("connect", strerror(errno));
	epoll_ctl(poll, EPOLL_CTL_ADD, client->socket, &(struct epoll_event){ EPOLLIN, { .ptr = client } });
	snprintf(words, sizeof(words), "OPEN iio:device0 %d 0000000f\r\n", client->samples);
	say(client, words);
	return client;
}

static void serve(int poll, int timeout_ms)
{
	struct epoll_event events[256];
	int ready = epoll_wait(poll, events, 256, timeout_ms);
	for (int index = 0; index < ready; index++)
		receive(events[index].data.ptr);
}

static void run(int count)
{
	int poll = epoll_create1(EPOLL_CLOEXEC);
	struct client **clients = calloc(count + 1, sizeof(*clients)), **last = clients + count;
	closed = count + (neighbour != READ);
	for (int index = 0; index < count; index++)
		clients[index] = open_device(poll, READ);
	if (neighbour != READ)
		*last = open_device(poll, neighbour);
	while (closed)
		serve(poll, 100);
	for (struct client **client = clients; client <= last && *client; client++)
		ask(*client);
	if (neighbour == STUCK) {
		epoll_ctl(poll, EPOLL_CTL_DEL, (*last)->socket, NULL);
		tally_first(tally);
	}
	while (!tally->is_over) {
		serve(poll, neighbour == SLOW ? 10 : 100);
		if (neighbour == SLOW && (*last)->asks_at && (*last)->asks_at <= boot_ns())
			ask(*last);
	}
}

int main(int argc, char **argv)
{
	int count = 1, option;
	while ((option = getopt(argc, argv, "n:s:b:")) != -1) {
		switch (option) {
		case 'n': count = atoi(optarg); break;
		case 's': samples = atoi(optarg); break;
		case 'b': neighbour = !strcmp(optarg, "big") ? BIG : !strcmp(optarg, "slow") ? SLOW : STUCK; break;
		default: return 64;
		}
	}
	if (optind + 1 != argc || samples < 1 || samples * SAMPLE > ROOM / 2)
		return 64;
	port = atoi(argv[optind]);
	tally = tally_make(count + (neighbour != READ));
	tally_start(count, false, run);
	tally_conduct(tally);
	_exit(0);
}
