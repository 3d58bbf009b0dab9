/* Children of fork(), silence, many requests, the wall clock, single calls. */

/* A child of fork() closes its copy, and the parent's stream goes on; also if the child keeps its copy open. */
static void test_fork(void) {
    sb_client *client;
    int round;
    test_name = "fork";
    for (round = 0; round < 2; round++) {
        pid_t child;
        int status, hold_open[2];
        if (pipe(hold_open) != 0) abort();
        listen_again();
        client = client_of("a");
        SAME(events(client), "");
        (void)accept_call(&served);
        say(served, FIRST("a", "10"));
        SAME(events(client), "connected, a active, a granted 10");
        child = fork();
        if (child == 0) {
            char byte;
            close(hold_open[1]);
            if (round == 0) sb_close(client);
            if (round == 1) (void)!read(hold_open[0], &byte, 1);
            _exit(0);
        }
        if (round == 0) CHECK(waitpid(child, &status, 0) == child && status == 0);
        say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
        SAME(events(client), "a#1");
        /* The socket that the child still holds is reported no more once the parent has closed it. */
        say(served, "{\"parameters\":{\"ended\":\"shutdown\"}}");
        SAME(events(client), "disconnected ended");
        close(served);
        served = -1;
        client->link.at = NEVER - 1;
        client->timer_is_due = true;
        SAME(events(client), "");
        {
            struct pollfd ready;
            ready.fd = sb_fd(client);
            ready.events = POLLIN;
            CHECK(poll(&ready, 1, 0) == 0);
        }
        close(hold_open[0]);
        close(hold_open[1]);
        if (round == 1) CHECK(waitpid(child, &status, 0) == child);
        sb_close(client);
    }
}

static void test_silence_is_told(void) {
    sb_client *client;
    int64_t now;
    test_name = "silence is told, and its end";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    now = sb_now_ns();
    CHECK(deadline(client) > now && deadline(client) < now + 2 * SECOND);
    note_silence(client, now + SECOND / 2);
    SAME(events(client), "");
    note_silence(client, now + 2 * SECOND);
    SAME(events(client), "a stale");
    note_silence(client, now + 3 * SECOND);
    SAME(events(client), "");
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
    SAME(events(client), "a active, a#1");
    /* If the broker knows why nothing comes, silence means nothing. */
    say(served, UPDATE("\"resources\":[" RESOURCE("a", "unavailable") "]"));
    SAME(events(client), "a unavailable");
    note_silence(client, now + 100 * SECOND);
    SAME(events(client), "");
    /* A stream without a sign of life is given up. */
    client->received_at = now - SUSPECT_NS;
    expire(client, now);
    SAME(events(client), "");
    CHECK(client->stream.fd >= 0);
    expire(client, now + DOUBT_NS);
    SAME(events(client), "disconnected disconnected");
    sb_close(client);
}

static void test_many_requests(void) {
    sb_client *client;
    char label[40], update[20000];
    struct sb_request request;
    size_t length;
    int i, calls = 0, readings = 0;
    test_name = "hundreds of requests go in several calls, leads first, and none is searched for among all";
    listen_again();
    client = sb_open(socket_path);
    memset(&request, 0, sizeof request);
    request.resource = "a";
    request.label = label;
    for (i = 0; i < 100; i++) {
        request.align_to = i == 0 ? "lead" : NULL;
        (void)snprintf(label, sizeof label, i == 50 ? "lead" : "l%d", i);
        CHECK(sb_subscribe(client, &request) == SB_OK);
    }
    SAME(events(client), "");
    CHECK(!strstr(accept_call(&served), "alignTo"));
    say(served, UPDATE("\"subscription\":\"s\",\"revision\":1"));
    SAME(events(client), "connected");
    while (*accept_call(&changed)) {
        calls++;
        CHECK(strlen(heard) < 60000);
        /* Not before its lead, which is in the third call. */
        CHECK(!strstr(heard, "alignTo") || calls >= 2);
        say(changed, "{\"parameters\":{\"revision\":2,\"grants\":[]}}");
        SAME(events(client), "");
    }
    CHECK(calls >= 4 && calls < 8 && !client->is_unsettled);
    length = (size_t)snprintf(update, sizeof update, "{\"continues\":true,\"parameters\":{\"readings\":[");
    for (i = 1; i < 100; i++) {
        const char *form = "%s{\"resource\":\"a\",\"label\":\"%s%d\",\"sequence\":1,\"timestampNanoseconds\":1}";
        if (i != 50) length += (size_t)snprintf(update + length, sizeof update - length, form, i > 1 ? "," : "", "l", i);
    }
    (void)snprintf(update + length, sizeof update - length, "]}}");
    say(served, update);
    comparisons = 0;
    while (sb_next(client, 0)) readings++;
    CHECK(readings == 98 && comparisons < 10 * readings);
    sb_close(client);
}

static void test_wall_clock(void) {
    int64_t before, interrupted;
    test_name = "the wall clock";
    before = sb_realtime_ns(0);
    interruption_ns = 40000000;
    interrupted = sb_realtime_ns(0);
    CHECK(llabs(interrupted - before) < 5000000);
}

/* What a read that does not wait returns, where a child answers as the broker. */
static enum sb_error read_of_a_broker_that_replies(sb_client *client, const char *reply, const struct sb_reading **reading) {
    enum sb_error error;
    int status, connection = -1;
    pid_t child = fork();
    if (child == 0) {
        struct pollfd call = {listening, POLLIN, 0};
        (void)poll(&call, 1, 60000);
        (void)accept_call(&connection);
        say(connection, reply);
        _exit(0);
    }
    error = sb_read(client, "a", 1000, 0, reading);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    /* What the child had no time to take. */
    while (*accept_call(&connection)) {}
    return error;
}

static void test_calls(void) {
    sb_client *client = sb_open(socket_path);
    const struct sb_resource *resources;
    const struct sb_reading *reading;
    size_t count;
    test_name = "calls that wait";
    if (listening >= 0) close(listening);
    listening = -1;
    CHECK(sb_list(client, 100, &resources, &count) == SB_ERROR_BROKER_STOPPED);
    listen_again();
    CHECK(sb_read(client, "", 0, 0, &reading) == SB_ERROR_INVALID_REQUEST);
    /* Without a wait for a reading, the broker's answer is awaited. */
    CHECK(read_of_a_broker_that_replies(client, "{\"parameters\":{\"reading\":" SAMPLE("a", "7", "1000") "}}", &reading) == SB_OK);
    CHECK(reading->sequence == 7);
    CHECK(read_of_a_broker_that_replies(client, "{\"error\":\"io.sensorbroker.Broker.TimedOut\"}", &reading) == SB_ERROR_TIMED_OUT);
    /* But not for ever. */
    look_ns = 1100000000;
    CHECK(sb_read(client, "a", 0, 0, &reading) == SB_ERROR_TIMED_OUT);
    look_ns = 0;
    CHECK(strstr(accept_call(&served), "\"timeoutNanoseconds\":0"));
    sb_close(client);
    sb_close(NULL);
}
