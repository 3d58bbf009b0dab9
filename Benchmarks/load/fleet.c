// Many bridges at one server of MQTT 5: each connects as sensorbroker-mqtt does, with its will, its retained status and its subscriptions, and
// publishes its messages at quality 1, at most 100 without an answer; some consumers take everything.
// usage: fleet PORT SERVER_PID BRIDGES MESSAGES_A_SECOND_OF_EACH SECONDS BYTES CONSUMERS [STORM_SECONDS]
//   with STORM_SECONDS all connections are cut in the middle, and each is made again after a time at random up to that
// Prints one line of JSON.
#define _GNU_SOURCE
/* Only ends what hangs, in seconds. */
#define TOO_LONG 900
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "server.h"

enum { WINDOW = 100, ROOM = 1 << 16, STATUS_SECONDS = 30 };
enum { CONNECT = 0x10, CONNACK = 2, PUBLISH = 0x30, PUBACK = 4, SUBSCRIBE = 0x82 };

struct peer {
	int socket, number, in_flight;
	bool is_consumer, is_online;
	uint16_t identifier;
	double due, status_due, dial_at, cut_at;
	double *sent_at; // by identifier
	uint8_t *in, *out;
	size_t received, pending, from;
};

static struct peer *peers;
static int poller, port, bytes, online;
static long sent, answered, delivered, held, refused;
static double *latencies;
static size_t latency_count, latency_room;
static uint8_t *payload;

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what)
{
	fprintf(stderr, "fleet: %s: %s\n", what, strerror(errno));
	exit(1);
}

static size_t length(uint8_t *to, size_t number)
{
	size_t count = 0;
	do {
		to[count] = number & 127;
		number >>= 7;
		if (number)
			to[count] |= 128;
		count++;
	} while (number);
	return count;
}

static void watch(struct peer *peer, bool wants_to_write, int how)
{
	struct epoll_event event = { .events = EPOLLIN | (wants_to_write ? EPOLLOUT : 0), .data.ptr = peer };
	if (epoll_ctl(poller, how, peer->socket, &event))
		fail("epoll_ctl");
}

static void hang_up(struct peer *peer)
{
	if (peer->socket < 0)
		return;
	close(peer->socket);
	peer->socket = -1;
	if (peer->is_online)
		online--;
	peer->is_online = false;
	peer->in_flight = 0;
	peer->received = peer->pending = peer->from = 0;
}

static void flush(struct peer *peer)
{
	while (peer->socket >= 0 && peer->from < peer->pending) {
		ssize_t count = send(peer->socket, peer->out + peer->from, peer->pending - peer->from, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (count < 0 && errno == EAGAIN)
			return watch(peer, true, EPOLL_CTL_MOD);
		if (count < 0)
			return hang_up(peer);
		peer->from += (size_t)count;
	}
	peer->from = peer->pending = 0;
}

static uint8_t *text(uint8_t *at, const char *words)
{
	size_t count = strlen(words);
	*at++ = (uint8_t)(count >> 8);
	*at++ = (uint8_t)count;
	memcpy(at, words, count);
	return at + count;
}

// Appends a packet: its header, its body.
static void put(struct peer *peer, uint8_t kind, const uint8_t *body, size_t count, const void *rest, size_t more)
{
	if (peer->pending + count + more + 8 > ROOM)
		return;
	uint8_t *at = peer->out + peer->pending;
	*at++ = kind;
	at += length(at, count + more);
	memcpy(at, body, count);
	memcpy(at + count, rest, more);
	peer->pending = (size_t)(at + count + more - peer->out);
}

static void publish(struct peer *peer, const char *resource, const void *what, size_t size, bool is_retained, double time)
{
	uint8_t body[128], *at = body;
	char topic[64];
	snprintf(topic, sizeof(topic), "fleet/truck-%05d/%s", peer->number, resource);
	at = text(at, topic);
	peer->identifier = peer->identifier == 65535 ? 1 : peer->identifier + 1;
	*at++ = (uint8_t)(peer->identifier >> 8);
	*at++ = (uint8_t)peer->identifier;
	*at++ = 0;
	put(peer, (uint8_t)(PUBLISH | 2 | is_retained), body, (size_t)(at - body), what, size);
	peer->sent_at[peer->identifier % (2 * WINDOW)] = time;
	peer->in_flight++;
	flush(peer);
}

static void publish_status(struct peer *peer, double time)
{
	char status[300];
	int size = snprintf(status, sizeof(status),
		"{\"state\":\"online\",\"epoch\":\"0198c0ffee00700080000123456789ab\",\"streams\":{\"location\":{\"last\":%ld,\"oldest\":1},"
		"\"accelerometer\":{\"last\":%ld,\"oldest\":1}}}", sent, sent);
	publish(peer, "status", status, (size_t)size, true, time);
	peer->status_due = time + STATUS_SECONDS;
}

static void subscribe(struct peer *peer, const char *topic)
{
	uint8_t body[128] = { 0, 1, 0 };
	uint8_t *at = text(body + 3, topic);
	*at++ = peer->is_consumer ? 1 : 5; // a bridge does not want its own
	put(peer, SUBSCRIBE, body, (size_t)(at - body), "", 0);
}

static void dial(struct peer *peer)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int yes = 1;
	peer->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (peer->socket < 0)
		fail("socket");
	setsockopt(peer->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	// From another address for each so many: an address has 28,000 ports.
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + (uint32_t)peer->number / 20000) };
	if (bind(peer->socket, (struct sockaddr *)&own, sizeof(own)) || (connect(peer->socket, (struct sockaddr *)&address, sizeof(address)) && errno != EINPROGRESS))
		fail("connect");
	uint8_t body[512], *at = body;
	char words[128];
	at = text(at, "MQTT");
	*at++ = 5;
	*at++ = peer->is_consumer ? 0x02 : 0x2E; // Clean Start; a retained will at quality 1
	*at++ = 0;
	*at++ = 15;
	if (peer->is_consumer) {
		// As many without an answer as MQTT has.
		memcpy(at, "\3\x21\xff\xff", 4);
		at += 4;
	} else {
		*at++ = 0;
	}
	snprintf(words, sizeof(words), "%s-%05d", peer->is_consumer ? "consumer" : "sensorbroker-truck", peer->number);
	at = text(at, words);
	if (!peer->is_consumer) {
		*at++ = 0;
		snprintf(words, sizeof(words), "fleet/truck-%05d/status", peer->number);
		at = text(at, words);
		at = text(at, "{\"state\":\"lost\",\"epoch\":\"0198c0ffee00700080000123456789ab\",\"streams\":{}}");
	}
	peer->dial_at = 0;
	put(peer, CONNECT, body, (size_t)(at - body), "", 0);
	watch(peer, true, EPOLL_CTL_ADD);
}

static void note(double latency)
{
	if (latency_count == latency_room) {
		latency_room = latency_room ? latency_room * 2 : 1 << 16;
		latencies = realloc(latencies, latency_room * sizeof(*latencies));
	}
	latencies[latency_count++] = latency;
}

static void take(struct peer *peer, const uint8_t *packet, const uint8_t *body, double time)
{
	char topic[64];
	switch (packet[0] >> 4) {
	case CONNACK:
		if (body[1]) {
			refused++;
			return;
		}
		peer->is_online = true;
		online++;
		if (peer->is_consumer) {
			subscribe(peer, "fleet/#");
		} else {
			snprintf(topic, sizeof(topic), "fleet/truck-%05d/resend", peer->number);
			subscribe(peer, topic);
			snprintf(topic, sizeof(topic), "fleet/truck-%05d/status", peer->number);
			subscribe(peer, topic);
			publish_status(peer, time);
		}
		flush(peer);
		break;
	case PUBACK:
		peer->in_flight--;
		answered++;
		note(time - peer->sent_at[(body[0] << 8 | body[1]) % (2 * WINDOW)]);
		break;
	case PUBLISH >> 4:
		if (packet[0] & 6) {
			size_t topic_length = (size_t)(body[0] << 8 | body[1]);
			put(peer, PUBACK << 4, body + 2 + topic_length, 2, "", 0);
		}
		delivered += peer->is_consumer;
	}
}

static void receive(struct peer *peer)
{
	ssize_t count = recv(peer->socket, peer->in + peer->received, ROOM - peer->received, MSG_DONTWAIT);
	if (count <= 0) {
		if (count == 0 || errno != EAGAIN)
			hang_up(peer);
		return;
	}
	double time = now();
	size_t at = 0;
	peer->received += (size_t)count;
	while (at + 2 <= peer->received) {
		size_t size = 0, head = 1;
		for (int shift = 0; at + head < peer->received; shift += 7) {
			uint8_t byte = peer->in[at + head++];
			size |= (size_t)(byte & 127) << shift;
			if (byte < 128)
				break;
		}
		if (at + head + size > peer->received)
			break;
		take(peer, peer->in + at, peer->in + at + head, time);
		at += head + size;
	}
	if (peer->socket < 0)
		return;
	memmove(peer->in, peer->in + at, peer->received - at);
	peer->received -= at;
	flush(peer);
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;
	return a < b ? -1 : a > b;
}

static void turn(int milliseconds)
{
	struct epoll_event events[512];
	int count = epoll_wait(poller, events, 512, milliseconds);
	for (int i = 0; i < count; i++) {
		struct peer *peer = events[i].data.ptr;
		if (peer->socket < 0)
			continue;
		if (events[i].events & EPOLLOUT) {
			watch(peer, false, EPOLL_CTL_MOD);
			flush(peer);
		}
		if (peer->socket >= 0 && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			receive(peer);
	}
}

// Dials whom it is time for, and publishes what is due.
static void serve(int first, int last, double period, double time)
{
	for (int i = first; i < last; i++) {
		struct peer *peer = peers + i;
		if (peer->dial_at && time >= peer->dial_at)
			dial(peer);
		if (!peer->is_online || peer->is_consumer)
			continue;
		if (time >= peer->status_due)
			publish_status(peer, time);
		if (!period || time < peer->due)
			continue;
		peer->due += period;
		if (peer->in_flight >= WINDOW) {
			held++;
			continue;
		}
		publish(peer, "location", payload, (size_t)bytes, false, time);
		sent++;
	}
}

int main(int count, char **words)
{
	if (count < 8)
		return 64;
	port = atoi(words[1]);
	int pid = atoi(words[2]), bridges = atoi(words[3]), consumers = atoi(words[7]), all = bridges + consumers;
	double rate = atof(words[4]), seconds = atof(words[5]), storm = count > 8 ? atof(words[8]) : -1;
	bytes = atoi(words[6]);
	payload = malloc((size_t)bytes);
	memset(payload, 'x', (size_t)bytes);
	peers = calloc((size_t)all, sizeof(*peers));
	poller = epoll_create1(0);
	long resident_before = resident_kib(pid);
	double processor_before = processor_seconds(pid), began = now(), period = rate > 0 ? 1 / rate : 0;
	for (int i = 0; i < all; i++) {
		// Consumers first: a bridge is told whether somebody listens.
		peers[i] = (struct peer){ .socket = -1, .number = i, .is_consumer = i < consumers, .dial_at = began + (i < consumers ? 0 : 0.2) };
		peers[i].sent_at = calloc(2 * WINDOW, sizeof(double));
		peers[i].in = malloc(ROOM);
		peers[i].out = malloc(ROOM);
	}
	while (online < all && now() < began + TOO_LONG) {
		serve(0, all, 0, now());
		turn(1);
	}
	double up = now() - began - 0.2, connecting = processor_seconds(pid) - processor_before;
	long resident_up = resident_kib(pid);
	if (online < all)
		fail("not all are connected");
	double start = now() + 0.5, storm_at = storm >= 0 ? start + seconds / 2 : 1e300, again_at = 0, busy_from = 0;
	for (int i = consumers; i < all; i++)
		peers[i].due = start + (period ? drand48() * period : 1e300);
	while (now() < start)
		turn(1);
	sent = answered = delivered = held = 0;
	latency_count = 0;
	double before = processor_seconds(pid);
	while (now() < start + seconds || (storm >= 0 && online < all && now() < start + seconds + 600)) {
		double time = now();
		if (time >= storm_at) {
			storm_at = 1e300;
			again_at = time;
			busy_from = processor_seconds(pid);
			for (int i = consumers; i < all; i++) {
				hang_up(peers + i);
				peers[i].dial_at = time + 0.001 + drand48() * storm;
				peers[i].cut_at = time;
			}
		}
		serve(0, all, period, time);
		turn(1);
		if (again_at > 0 && online == all) {
			printf("{\"storm_seconds\":%.3f,\"spread_seconds\":%.1f,\"storm_processor_seconds\":%.3f}\n", now() - again_at, storm, processor_seconds(pid) - busy_from);
			again_at = -1;
		}
	}
	double spent = processor_seconds(pid) - before, lasted = now() - start;
	// What is still on its way to the consumer.
	for (double end = now() + 10; now() < end && delivered < sent;)
		turn(10);
	qsort(latencies, latency_count, sizeof(*latencies), compare);
	printf("{\"bridges\":%d,\"connect_seconds\":%.3f,\"connect_processor_us\":%.1f,\"connect_kib\":%.1f,\"messages_per_second\":%.0f,\"bytes\":%d,"
	       "\"sent\":%ld,\"answered\":%ld,\"delivered\":%ld,\"held\":%ld,\"refused\":%ld,\"processor_us\":%.2f,\"per_core\":%.0f,\"p50_ms\":%.2f,\"p99_ms\":%.2f,"
	       "\"resident_mib\":%.1f}\n",
		bridges, up, connecting * 1e6 / all, (double)(resident_up - resident_before) / all, (double)sent / lasted, bytes, sent, answered, delivered, held, refused,
		sent ? spent * 1e6 / (double)sent : 0, spent > 0 ? (double)sent / spent : 0, latency_count ? latencies[latency_count / 2] * 1e3 : 0,
		latency_count ? latencies[latency_count * 99 / 100] * 1e3 : 0, (double)resident_kib(pid) / 1024);
}
