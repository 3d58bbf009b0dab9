/* A broker that the test plays, on a real socket, without threads and without waiting. */

static char directory[80], socket_path[108];
static int listening = -1, served = -1, changed = -1;
static char heard[70000];

static void listen_again(void) {
    struct sockaddr_un address;
    if (listening >= 0) close(listening);
    unlink(socket_path);
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bind(listening, (const struct sockaddr *)(const void *)&address, sizeof address) != 0 || listen(listening, 8) != 0) abort();
}

/* Accepts the call that the client has made, and returns its text; "" if there is none. */
static const char *accept_call(int *connection) {
    ssize_t count;
    if (*connection >= 0) close(*connection);
    *connection = accept(listening, NULL, NULL);
    heard[0] = 0;
    if (*connection < 0) return heard;
    count = recv(*connection, heard, sizeof heard - 1, 0);
    heard[count < 0 ? 0 : count] = 0;
    return heard;
}

static void say(int connection, const char *message) {
    /* Where nobody hears it, the events are missing. */
    (void)!send(connection, message, strlen(message) + 1, MSG_NOSIGNAL);
}

/* The events that are there, each as a letter and what distinguishes it. */
static const char *events(sb_client *client) {
    static char text[2000];
    const struct sb_event *event;
    text[0] = 0;
    while ((event = sb_next(client, 0)) != NULL) {
        char word[200] = "";
        switch (event->type) {
        case SB_READING:
            (void)snprintf(word, sizeof word, "%s#%d%s%s", event->request, (int)event->reading->sequence,
                event->reading->after_gap ? "!" : "", event->user ? "u" : "");
            break;
        case SB_GAP: (void)snprintf(word, sizeof word, "%s gap %s %d..%d", event->request, event->gap->cause, (int)event->gap->from_ns,
                         (int)event->gap->until_ns); break;
        case SB_STATE: (void)snprintf(word, sizeof word, "%s %s", event->request, event->resource->state_name); break;
        case SB_GRANT: (void)snprintf(word, sizeof word, "%s granted %lld", event->request, (long long)event->grant->interval_ns); break;
        case SB_ENDED: (void)snprintf(word, sizeof word, "%s ended %s", event->request, sb_error_name(event->failure->error)); break;
        case SB_ERROR: (void)snprintf(word, sizeof word, "%s error %s", event->request, sb_error_name(event->failure->error)); break;
        case SB_CONNECTED: (void)snprintf(word, sizeof word, "connected"); break;
        case SB_DISCONNECTED: (void)snprintf(word, sizeof word, "disconnected %s", sb_error_name(event->failure->error)); break;
        }
        if (strlen(text) + strlen(word) + 3 < sizeof text) {
            strcat(text, *text ? ", " : "");
            strcat(text, word);
        }
    }
    return text;
}

static void check_text(const char *is, const char *should, const char *file, int line) {
    checks++;
    if (strcmp(is, should) == 0) return;
    failures++;
    printf("%s:%d: %s:\n  is:        %s\n  should be: %s\n", file, line, test_name, is, should);
}
#define SAME(is, should) check_text(is, should, __FILE__, __LINE__)

#define RESOURCE(name, state) "{\"name\":\"" name "\",\"kind\":\"acceleration\",\"reporting\":\"continuous\",\"channels\":[{\"name\":\"x\",\"unit\":\"m\"}],\"state\":\"" state \
    "\",\"simulated\":true,\"minimumIntervalNanoseconds\":1,\"maximumIntervalNanoseconds\":100,\"defaultIntervalNanoseconds\":10}"
#define GRANT(name, interval) "{\"resource\":\"" name "\",\"intervalNanoseconds\":" interval ",\"batchNanoseconds\":0}"
#define SAMPLE(name, number, stamp) "{\"resource\":\"" name "\",\"sequence\":" number ",\"timestampNanoseconds\":" stamp ",\"values\":{\"columns\":{\"x\":[1.5]}}}"
#define UPDATE(members) "{\"parameters\":{" members "},\"continues\":true}"
#define FIRST(name, interval) UPDATE("\"subscription\":\"s1\",\"revision\":1,\"grants\":[" GRANT(name, interval) "],\"resources\":[" RESOURCE(name, "active") "]")

static sb_client *client_of(const char *resource) {
    sb_client *client = sb_open(socket_path);
    struct sb_request request;
    memset(&request, 0, sizeof request);
    request.resource = resource;
    request.interval_ns = 10;
    if (!client || sb_subscribe(client, &request) != SB_OK) abort();
    return client;
}

/* Does now what would be done after a wait. */
static void hurry(sb_client *client) {
    client->link.at = earlier(client->link.at, 1);
    client->stream_retry.at = earlier(client->stream_retry.at, 1);
    client->timer_is_due = true;
    client->timer_at = 1;
}
