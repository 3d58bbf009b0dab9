/* Streams and their changes: what is asked for, granted, refused and reported. */

static void test_a_stream(void) {
    sb_client *client;
    const struct sb_event *event;
    struct sb_request request;
    int marker;
    test_name = "a stream, changed while it runs";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    SAME(accept_call(&served), "{\"method\":\"io.sensorbroker.Broker.Subscribe\",\"parameters\":{\"requests\":[{\"resource\":\"a\",\"intervalNanoseconds\":10}]},\"more\":true}");
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    SAME(sb_subscription(client), "s1");
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "," SAMPLE("other", "1", "1000") "]"));
    SAME(events(client), "a#1");
    say(served, UPDATE("\"gaps\":[{\"resource\":\"a\",\"cause\":\"slowClient\",\"count\":2,\"fromNanoseconds\":1010,\"untilNanoseconds\":1020}],\"readings\":[" SAMPLE("a", "4", "1030") "]"));
    SAME(events(client), "a gap slowClient 1010..1020, a#4!");
    /* A change, on a connection that the program does not see. */
    memset(&request, 0, sizeof request);
    request.resource = "a";
    request.interval_ns = SB_EVERY_SAMPLE;
    request.batch_ns = 7;
    request.filter = SB_FILTER_MEAN;
    request.minimum_change = 0.5;
    request.packed = request.satellites = true;
    request.user = &marker;
    CHECK(sb_subscribe(client, &request) == SB_OK);
    request.label = "l.2";
    CHECK(sb_subscribe(client, &request) == SB_OK);
    SAME(events(client), "");
    SAME(accept_call(&changed), "{\"method\":\"io.sensorbroker.Broker.Modify\",\"parameters\":{\"subscription\":\"s1\",\"requests\":["
        "{\"resource\":\"a\",\"intervalNanoseconds\":0,\"batchNanoseconds\":7,\"filter\":\"mean\",\"minimumChange\":0.5,\"satellites\":true,\"packed\":true},"
        "{\"resource\":\"a\",\"label\":\"l.2\",\"intervalNanoseconds\":0,\"batchNanoseconds\":7,\"filter\":\"mean\",\"minimumChange\":0.5,\"satellites\":true,\"packed\":true}]}}");
    say(served, UPDATE("\"revision\":2,\"grants\":[" GRANT("a", "0") "],\"readings\":[" SAMPLE("a", "5", "1040") "]"));
    say(changed, "{\"parameters\":{\"revision\":2,\"grants\":[]}}");
    SAME(events(client), "a granted -1, a#5u");
    CHECK(client->change.fd < 0 && !client->is_unsettled);
    say(served, UPDATE("\"readings\":[{\"resource\":\"a\",\"sequence\":6,\"timestampNanoseconds\":1040,\"values\":{\"columns\":{\"x\":[-1e99]}}}]"));
    event = sb_next(client, 0);
    CHECK(event && event->reading->columns[0].floats && isfinite(event->reading->columns[0].floats[0]));
    /* Removed by its name; nothing of it is told any more. */
    CHECK(sb_unsubscribe(client, "l.2") == SB_OK);
    CHECK(sb_unsubscribe(client, "l.2") == SB_ERROR_INVALID_REQUEST);
    SAME(events(client), "");
    SAME(accept_call(&changed), "{\"method\":\"io.sensorbroker.Broker.Modify\",\"parameters\":{\"subscription\":\"s1\",\"requests\":[],\"remove\":[\"l.2\"]}}");
    say(changed, "{\"parameters\":{\"revision\":3,\"grants\":[]}}");
    SAME(events(client), "");
    /* The end, and the return with the present requests; the gap is told before the first reading. */
    say(served, "{\"parameters\":{\"ended\":\"shutdown\"}}");
    SAME(events(client), "disconnected ended");
    CHECK(sb_outage(client) && strstr(sb_outage(client)->text, "shutdown"));
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&served), "\"intervalNanoseconds\":0,\"batchNanoseconds\":7"));
    say(served, FIRST("a", "100"));
    SAME(events(client), "connected, a granted 100, a active");
    CHECK(!sb_outage(client));
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "0", "5000") "," SAMPLE("a", "1", "5100") "]"));
    SAME(events(client), "a gap disconnected 1040..5000, a#0!u, a#1u");
    /* Without requests there is no stream. */
    CHECK(sb_unsubscribe(client, "a") == SB_OK);
    SAME(events(client), "");
    CHECK(client->stream.fd < 0 && client->channels == NULL);
    sb_close(client);
}

static void test_refusals(void) {
    sb_client *client;
    struct sb_request request;
    test_name = "refusals";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, "{\"error\":\"io.sensorbroker.Broker.NoSuchResource\",\"parameters\":{\"resource\":\"a\"}}");
    SAME(events(client), "a ended noSuchResource");
    sb_close(client);

    /* Which of two requests is invalid the broker does not say. */
    client = client_of("a");
    memset(&request, 0, sizeof request);
    request.resource = "b";
    CHECK(sb_subscribe(client, &request) == SB_OK);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&served), "\"b\""));
    say(served, "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"intervalNanoseconds\"}}");
    SAME(events(client), "");
    CHECK(!strstr(accept_call(&served), "\"b\""));
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    CHECK(strstr(accept_call(&changed), "Modify") && strstr(heard, "\"b\"") && !strstr(heard, "\"a\""));
    say(changed, "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"intervalNanoseconds\"}}");
    SAME(events(client), "b ended invalidRequest");
    /* A refused change leaves what there is. */
    request.resource = "a";
    request.interval_ns = 7;
    CHECK(sb_subscribe(client, &request) == SB_OK);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&changed), "\"intervalNanoseconds\":7"));
    say(changed, "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"intervalNanoseconds\"}}");
    SAME(events(client), "a error invalidRequest");
    SAME(accept_call(&changed), "");
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
    SAME(events(client), "a#1");
    sb_close(client);

    /* Rights may come; the request waits, and is told once. */
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, "{\"error\":\"org.varlink.service.PermissionDenied\"}");
    SAME(events(client), "disconnected notPermitted");
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&served), "Subscribe"));
    say(served, "{\"error\":\"org.varlink.service.PermissionDenied\"}");
    SAME(events(client), "");
    /* Beside others only that request waits. */
    hurry(client);
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    request.resource = "c";
    request.interval_ns = 0;
    CHECK(sb_subscribe(client, &request) == SB_OK);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&changed), "\"c\""));
    say(changed, "{\"error\":\"org.varlink.service.PermissionDenied\"}");
    SAME(events(client), "c error notPermitted");
    client->channels->next->retry.at = 1;
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&changed), "\"c\""));
    say(changed, "{\"error\":\"org.varlink.service.PermissionDenied\"}");
    SAME(events(client), "");
    client->channels->next->retry.at = 1;
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&changed), "\"c\""));
    say(changed, "{\"parameters\":{\"revision\":2,\"grants\":[]}}");
    SAME(events(client), "");
    say(served, UPDATE("\"revision\":2,\"grants\":[" GRANT("c", "20") "],\"readings\":[" SAMPLE("c", "1", "1000") "]"));
    SAME(events(client), "c granted 20, c#1");
    sb_close(client);

    /* The broker has no room; the same for the stream as a whole. */
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, "{\"error\":\"io.sensorbroker.Broker.TooManySubscriptions\",\"parameters\":{\"limit\":3}}");
    SAME(events(client), "disconnected tooManySubscriptions");
    hurry(client);
    SAME(events(client), "");
    CHECK(strstr(accept_call(&served), "Subscribe"));
    say(served, "{\"error\":\"io.sensorbroker.Broker.Tomorrow\"}");
    SAME(events(client), "");
    CHECK(sb_outage(client)->error == SB_ERROR_UNINTELLIGIBLE);
    sb_close(client);
}

static void test_requests_that_the_client_refuses(void) {
    static const struct sb_request bad[] = {
        {.resource = NULL}, {.resource = ""}, {.resource = "a\n"}, {.resource = "\xff"}, {.resource = "a", .label = ""},
        {.resource = "a", .interval_ns = -2}, {.resource = "a", .batch_ns = -1}, {.resource = "a", .minimum_change = -1},
        {.resource = "a", .minimum_change = NAN}, {.resource = "a", .align_to = ""}, {.resource = "a", .filter = (enum sb_filter)9},
    };
    sb_client *client = sb_open(socket_path);
    char long_name[400];
    struct sb_request request;
    size_t i;
    test_name = "requests that the client refuses";
    for (i = 0; i < COUNT_OF(bad); i++) {
        CHECK(sb_subscribe(client, &bad[i]) == SB_ERROR_INVALID_REQUEST);
        CHECK(sb_last_failure(client)->text[0] != 0);
    }
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    memset(&request, 0, sizeof request);
    request.resource = long_name;
    CHECK(sb_subscribe(client, &request) == SB_ERROR_INVALID_REQUEST);
    request.resource = "a";
    request.label = long_name + sizeof long_name - 34;
    CHECK(sb_subscribe(client, &request) == SB_ERROR_INVALID_REQUEST && strstr(sb_last_failure(client)->text, "1 to 32"));
    request.label = "a label";
    CHECK(sb_subscribe(client, &request) == SB_ERROR_INVALID_REQUEST);
    CHECK(sb_next(client, 0) == NULL);
    sb_close(client);
}

static void test_no_broker(void) {
    sb_client *client, *other, *third;
    test_name = "no broker";
    if (listening >= 0) close(listening);
    listening = -1;
    client = client_of("a");
    SAME(events(client), "disconnected brokerStopped");
    unlink(socket_path);
    hurry(client);
    SAME(events(client), "");
    CHECK(sb_outage(client)->error == SB_ERROR_BROKER_MISSING && strstr(sb_outage(client)->text, socket_path));
    CHECK(strstr(sb_outage(client)->text, "systemctl start"));
    CHECK(client->link.wait == 4 * FIRST_WAIT_NS);
    listen_again();
    hurry(client);
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    CHECK(client->link.at == NEVER && client->link.wait == 0);
    /* One that accepts nobody, as if it were stopped. */
    CHECK(listen(listening, 0) == 0);
    other = client_of("a");
    SAME(events(other), "");
    third = client_of("a");
    SAME(events(third), "disconnected disconnected");
    CHECK(strstr(sb_outage(third)->text, "does not answer"));
    sb_close(third);
    sb_close(other);
    sb_close(client);
}
