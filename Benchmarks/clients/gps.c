// gps PORT COUNT: gpsd's own library, which reads so many reports.
#include "client.h"

#include <gps.h>
#include <stdlib.h>

int main(int count, char **words) {
	struct gps_data_t data;
	long reports = 0, wanted = atol(words[2]);
	double sum = 0;
	if (count != 3 || gps_open("127.0.0.1", words[1], &data) != 0) return 1;
	gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL);
	while (reports < wanted) {
		if (!gps_waiting(&data, 5000000)) break;
		if (gps_read(&data, NULL, 0) == -1) break;
		if (!(data.set & LATLON_SET)) continue;
		if (reports++ == 0) client_begin();
		sum += data.fix.latitude + data.fix.longitude;
	}
	client_end(reports - 1, sum);
}
