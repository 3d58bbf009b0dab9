// bare SOCKET COUNT SAMPLES: the lower bound: receives so many messages, of so many samples each, and looks for their ends only.
#include "client.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int count, char **words) {
	static char buffer[1 << 16];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	long wanted = atol(words[2]), samples = atol(words[3]), messages = -1;
	if (count != 4) return 64;
	strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
	static const char call[] = "{\"method\":\"io.sensorbroker.Broker.Subscribe\",\"parameters\":{\"requests\":[{\"resource\":\"r\"}]},\"more\":true}";
	if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 || send(fd, call, sizeof call, 0) < 0) return 1;
	while (messages * samples < wanted) {
		struct pollfd ready = {fd, POLLIN, 0};
		poll(&ready, 1, -1);
		ssize_t got = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
		if (got <= 0) break;
		for (char *at = buffer; (at = memchr(at, 0, (size_t)(buffer + got - at))) != NULL; at++)
			if (++messages == 0) client_begin();
	}
	client_end(messages * samples, 0);
}
