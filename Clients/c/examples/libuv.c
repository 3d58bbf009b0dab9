/* With libuv: cc libuv.c $(pkg-config --cflags --libs sensorbroker libuv). The client's descriptor is one handle of the loop. */

#include <sensorbroker.h>
#include <stdio.h>
#include <uv.h>

static void show(const struct sb_event *event) {
    switch (event->type) {
    case SB_READING:
        if (event->reading->location)
            printf("%.6f %.6f\n", event->reading->location->latitude_degrees, event->reading->location->longitude_degrees);
        break;
    case SB_GAP: printf("missed some: %s\n", event->gap->cause); break;
    case SB_STATE: printf("%s is %s\n", event->resource->name, event->resource->state_name); break;
    case SB_GRANT:
    case SB_CONNECTED: break;
    case SB_DISCONNECTED:
    case SB_ERROR:
    case SB_ENDED: printf("%s\n", event->failure->text); break;
    }
    fflush(stdout);
}

static void is_ready(uv_poll_t *handle, int status, int events) {
    const struct sb_event *event;
    (void)status;
    (void)events;
    while ((event = sb_next((sb_client *)handle->data, 0)) != NULL) show(event);
}

int main(void) {
    struct sb_request request = {0};
    sb_client *client = sb_open(NULL);
    uv_poll_t handle;
    if (!client) return 1;
    request.resource = "location";
    sb_subscribe(client, &request);
    handle.data = client;
    uv_poll_init(uv_default_loop(), &handle, sb_fd(client));
    uv_poll_start(&handle, UV_READABLE, is_ready);
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    sb_close(client);
    return 0;
}
