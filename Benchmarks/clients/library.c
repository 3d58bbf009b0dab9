// library SOCKET COUNT RESOURCE PACKED: a client of the C library that adds up each number of so many samples.
#include "client.h"

#include <poll.h>
#include <sensorbroker.h>
#include <stdlib.h>

int main(int count, char **words) {
	struct sb_request request = {0};
	const struct sb_event *event;
	long samples = -1, wanted = atol(words[2]);
	double sum = 0;
	sb_client *client = sb_open(words[1]);
	struct pollfd ready = {sb_fd(client), POLLIN, 0};
	if (count != 5) return 64;
	request.resource = words[3];
	request.packed = atoi(words[4]);
	sb_subscribe(client, &request);
	while (samples < wanted) {
		poll(&ready, 1, -1);
		while ((event = sb_next(client, 0)) != NULL) {
			if (event->type == SB_DISCONNECTED) goto end;
			if (event->type == SB_GRANT) samples = 0, client_begin();
			if (event->type != SB_READING) continue;
			const struct sb_reading *reading = event->reading;
			for (size_t i = 0; i < reading->column_count; i++)
				for (size_t row = 0; row < reading->count; row++) sum += sb_value(&reading->columns[i], row);
			if (reading->location) sum += reading->location->latitude_degrees + reading->location->longitude_degrees;
			samples += (long)reading->count;
		}
	}
end:
	client_end(samples, sum);
	sb_close(client);
}
