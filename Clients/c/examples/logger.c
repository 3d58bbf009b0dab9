/* logger RESOURCE [HZ]: writes the readings of a sensor as lines of CSV, and what is missing of them as comments. */

#include <inttypes.h>
#include <sensorbroker.h>
#include <stdio.h>
#include <stdlib.h>

static void write_reading(const struct sb_reading *reading) {
    size_t row, i;
    for (row = 0; row < reading->count; row++) {
        printf("%" PRId64, sb_time_ns(reading, row));
        for (i = 0; i < reading->column_count; i++) printf(",%.9g", sb_value(&reading->columns[i], row));
        if (reading->location) printf(",%.9f,%.9f", reading->location->latitude_degrees, reading->location->longitude_degrees);
        if (reading->orientation) printf(",%s", reading->orientation);
        putchar('\n');
    }
}

int main(int count, char **words) {
    struct sb_request request = {0};
    const struct sb_event *event;
    sb_client *client = sb_open(NULL);
    request.resource = count > 1 ? words[1] : "accelerometer";
    request.interval_ns = count > 2 ? SB_HZ(atof(words[2])) : 0;
    if (!client || sb_subscribe(client, &request) != SB_OK) {
        fprintf(stderr, "logger: %s\n", client ? sb_last_failure(client)->text : "no memory");
        return 1;
    }
    while ((event = sb_next(client, -1)) != NULL) {
        switch (event->type) {
        case SB_READING: write_reading(event->reading); break;
        case SB_GAP: printf("# missing until %" PRId64 ": %s\n", event->gap->until_ns, event->gap->cause); break;
        case SB_STATE: printf("# %s is %s\n", event->resource->name, event->resource->state_name); break;
        case SB_GRANT: printf("# every %" PRId64 " ns\n", event->grant->interval_ns); break;
        case SB_CONNECTED: break;
        case SB_DISCONNECTED:
        case SB_ERROR: fprintf(stderr, "logger: %s\n", event->failure->text); break;
        case SB_ENDED: fprintf(stderr, "logger: %s\n", event->failure->text); return 1;
        }
        fflush(stdout);
    }
    sb_close(client);
    return 0;
}
