/* A loop of a program's own around poll(2): the client's descriptor beside the others. Type a rate in Hz to change it. */

#include <errno.h>
#include <poll.h>
#include <sensorbroker.h>
#include <stdio.h>
#include <stdlib.h>

static void show(const struct sb_event *event) {
    const struct sb_column *x;
    size_t row;
    switch (event->type) {
    case SB_READING:
        x = sb_find_column(event->reading, "x");
        for (row = 0; x && row < event->reading->count; row++)
            printf("%s%.3f %s\n", event->reading->after_gap && row == 0 ? "(after a gap) " : "", sb_value(x, row), x->unit);
        break;
    case SB_GAP: printf("missed some: %s\n", event->gap->cause); break;
    case SB_STATE: printf("%s is %s\n", event->resource->name, event->resource->state_name); break;
    case SB_GRANT: printf("every %.1f ms\n", (double)event->grant->interval_ns / 1e6); break;
    case SB_CONNECTED: break;
    case SB_DISCONNECTED:
    case SB_ERROR:
    case SB_ENDED: printf("%s\n", event->failure->text); break;
    }
}

int main(void) {
    struct sb_request request = {0};
    struct pollfd ready[2] = {{0, POLLIN, 0}, {0, POLLIN, 0}};
    const struct sb_event *event;
    char line[80];
    sb_client *client = sb_open(NULL);
    if (!client) return 1;
    request.resource = "accelerometer";
    request.interval_ns = SB_HZ(2);
    sb_subscribe(client, &request);
    ready[1].fd = sb_fd(client);
    for (;;) {
        if (poll(ready, 2, -1) < 0 && errno != EINTR) break;
        if (ready[0].revents) {
            double rate = fgets(line, sizeof line, stdin) ? atof(line) : 0;
            if (rate <= 0) break;
            request.interval_ns = SB_HZ(rate);
            sb_subscribe(client, &request); /* the same name: the running stream is changed */
        }
        while ((event = sb_next(client, 0)) != NULL) show(event);
        fflush(stdout);
    }
    sb_close(client);
    return 0;
}
