// What is least that a program can do that sends readings to an MQTT server: libmosquitto, one poll(2), no spool, no look at the JSON.
// usage: fleet-publisher PORT SOCKET WINDOW [AUTHORITY CERTIFICATE KEY] RESOURCE...
//   with certificates if AUTHORITY is not "-"; the same topics and payloads as sensorbroker-mqtt, at quality 1, at most WINDOW unanswered
#define _GNU_SOURCE
#include <mosquitto.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROOM = 1 << 20, MOST = 8 };

struct stream {
	const char *name;
	int socket;
	unsigned long number;
	size_t from, to;
	char *buffer;
};

static struct stream streams[MOST];
static int in_flight, window, is_connected;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void on_connect(struct mosquitto *client, void *self, int reason)
{
	(void)client, (void)self;
	if (reason)
		exit(2);
	is_connected = 1;
}

static void on_publish(struct mosquitto *client, void *self, int identifier)
{
	(void)client, (void)self, (void)identifier;
	in_flight--;
}

static void subscribe(struct stream *stream, const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	char call[512];
	strncpy(name.sun_path, path, sizeof(name.sun_path) - 1);
	stream->socket = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(stream->socket, (struct sockaddr *)&name, sizeof(name)))
		fail(path);
	int length = snprintf(call, sizeof(call),
		"{\"method\":\"io.sensorbroker.Broker.Subscribe\",\"parameters\":{\"requests\":[{\"resource\":\"%s\"}]},\"more\":true}", stream->name);
	if (send(stream->socket, call, (size_t)length + 1, 0) < 0)
		fail("send");
	stream->buffer = malloc(ROOM);
}

// Sends what has arrived, as far as the window allows.
static void publish(struct mosquitto *client, struct stream *stream)
{
	static const char begin[] = "\"parameters\":{", end[] = "},\"continues\":true}";
	static char payload[ROOM + 200];
	char topic[100], *stop;
	snprintf(topic, sizeof(topic), "fleet/truck-0042/%s", stream->name);
	while (in_flight < window && (stop = memchr(stream->buffer + stream->from, 0, stream->to - stream->from))) {
		char *text = strstr(stream->buffer + stream->from, begin);
		if (!text)
			fail("a reply");
		text += sizeof(begin) - 1;
		int head = snprintf(payload, 200, "{\"epoch\":\"0198c0ffee00700080000123456789ab\",\"number\":%lu,", ++stream->number);
		size_t length = (size_t)(stop - text) - (sizeof(end) - 1);
		memcpy(payload + head, text, length);
		payload[head + (int)length] = '}';
		if (mosquitto_publish(client, NULL, topic, head + (int)length + 1, payload, 1, false))
			fail("publish");
		in_flight++;
		stream->from = (size_t)(stop + 1 - stream->buffer);
	}
	if (stream->from > ROOM / 2) {
		memmove(stream->buffer, stream->buffer + stream->from, stream->to - stream->from);
		stream->to -= stream->from;
		stream->from = 0;
	}
}

int main(int count, char **words)
{
	if (count < 5)
		return 64;
	int at = 4;
	mosquitto_lib_init();
	window = atoi(words[3]);
	struct mosquitto *client = mosquitto_new("rival", true, NULL);
	mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
	mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
	mosquitto_max_inflight_messages_set(client, 65535);
	mosquitto_connect_callback_set(client, on_connect);
	mosquitto_publish_callback_set(client, on_publish);
	if (strcmp(words[at], "-") == 0)
		at++;
	else if (mosquitto_tls_set(client, words[at], NULL, words[at + 1], words[at + 2], NULL) == 0)
		at += 3;
	else
		return 1;
	if (mosquitto_connect(client, "127.0.0.1", atoi(words[1]), 15))
		fail("connect");
	while (!is_connected)
		if (mosquitto_loop(client, 1000, 1))
			return 2;
	int most = 0;
	for (; at < count && most < MOST; at++, most++) {
		streams[most].name = words[at];
		subscribe(streams + most, words[2]);
	}
	struct pollfd ready[MOST + 1];
	while (1) {
		for (int i = 0; i < most; i++) {
			publish(client, streams + i);
			ready[i] = (struct pollfd){ streams[i].socket, in_flight < window && streams[i].to < ROOM ? POLLIN : 0, 0 };
		}
		ready[most] = (struct pollfd){ mosquitto_socket(client), (short)(POLLIN | (mosquitto_want_write(client) ? POLLOUT : 0)), 0 };
		if (poll(ready, (nfds_t)most + 1, 1000) < 0)
			return 1;
		for (int i = 0; i < most; i++) {
			if (!(ready[i].revents & POLLIN))
				continue;
			ssize_t got = recv(streams[i].socket, streams[i].buffer + streams[i].to, ROOM - streams[i].to, MSG_DONTWAIT);
			if (got <= 0)
				return 0;
			streams[i].to += (size_t)got;
		}
		if (ready[most].revents & (POLLIN | POLLHUP | POLLERR) && mosquitto_loop_read(client, 1000))
			return 1;
		if (mosquitto_want_write(client) && mosquitto_loop_write(client, 1000))
			return 1;
		if (mosquitto_loop_misc(client))
			return 1;
	}
}
