/* Bytes that no broker sends, messages in pieces, and no memory. */

static void test_hostile_bytes(void) {
    static const char *const messages[] = {
        "garbage", "{\"parameters\":{\"readings\":[{}]}}", "{}\xff", "[]", "{\"parameters\":[]}", "{\"continues\":true,\"error\":\"x.y.Z\"}",
        "{\"parameters\":{\"subscription\":7},\"continues\":true}",
    };
    sb_client *client;
    char *large;
    size_t i, sent;
    test_name = "hostile bytes";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    for (i = 0; i < COUNT_OF(messages); i++) {
        CHECK(strstr(accept_call(&served), "Subscribe"));
        say(served, FIRST("a", "10"));
        SAME(events(client), i ? "connected, a granted 10, a active" : "connected, a active, a granted 10");
        say(served, messages[i]);
        SAME(events(client), "disconnected unintelligible");
        hurry(client);
        SAME(events(client), "");
    }
    /* Resources that nobody asked for are not kept, however many there are. */
    CHECK(strstr(accept_call(&served), "Subscribe"));
    say(served, FIRST("a", "10"));
    say(served, UPDATE("\"resources\":[" RESOURCE("b", "active") "," RESOURCE("a", "stale") "," RESOURCE("c", "active") "]"));
    SAME(events(client), "connected, a granted 10, a active, a stale");
    CHECK(client->known && !client->known->next);
    say(served, "garbage");
    SAME(events(client), "disconnected unintelligible");
    hurry(client);
    SAME(events(client), "");
    /* A message without an end. An emulator takes seconds for it, which are no silence at an interval of two. */
    CHECK(strstr(accept_call(&served), "Subscribe"));
    say(served, FIRST("a", "2000000000"));
    SAME(events(client), "connected, a active, a granted 2000000000");
    large = (char *)malloc(1 << 16);
    memset(large, ' ', 1 << 16);
    for (i = sent = 0; i < 1000 && !sb_outage(client); i++) {
        ssize_t more = send(served, large, 1 << 16, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more > 0) sent += (size_t)more;
        if (*events(client)) break;
    }
    CHECK(sent > MESSAGE_BYTES && sent < 2 * MESSAGE_BYTES);
    CHECK(sb_outage(client) && sb_outage(client)->error == SB_ERROR_UNINTELLIGIBLE);
    CHECK(client->stream.room <= 2 * MESSAGE_BYTES);
    /* It keeps nothing of that. */
    hurry(client);
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "2000000000"));
    SAME(events(client), "connected, a granted 2000000000, a active");
    CHECK(client->stream.room <= KEPT_BYTES);
    /* Nor of one that is long and valid. */
    free(large);
    large = (char *)malloc(3 << 20);
    memset(large, ' ', 3 << 20);
    memcpy(large, "{\"parameters\":{\"readings\":[", 27);
    strcpy(large + (3 << 20) - 200, SAMPLE("a", "1", "1000") "]},\"continues\":true}");
    for (i = 0; i < (3 << 20); i++)
        if (!large[i]) large[i] = ' ';
    large[(3 << 20) - 1] = 0;
    for (i = sent = 0; sent < 3 << 20 && i < 1000; i++) {
        ssize_t more = send(served, large + sent, (3 << 20) - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more > 0) sent += (size_t)more;
        SAME(events(client), sent < 3 << 20 ? "" : "a#1");
    }
    CHECK(client->stream.room > KEPT_BYTES);
    say(served, UPDATE("\"readings\":[" SAMPLE("a", "2", "1010") "]"));
    SAME(events(client), "a#2");
    CHECK(client->stream.room <= KEPT_BYTES);
    free(large);
    sb_close(client);
}

static void test_messages_in_pieces(void) {
    static const char message[] = UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]");
    sb_client *client;
    size_t i, from = 0;
    int count = 0, round;
    char many[sizeof message * 20], idle[300 * sizeof UPDATE("") + sizeof message];
    struct pollfd ready;
    test_name = "messages in pieces, and several at once";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    /* So seldom that nothing is a silence, however long the host is busy. */
    say(served, FIRST("a", "3600000000000"));
    SAME(events(client), "connected, a active, a granted 3600000000000");
    for (i = 0; i < sizeof message; i++) {
        CHECK(send(served, message + i, 1, 0) == 1);
        SAME(events(client), i + 1 == sizeof message ? "a#1" : "");
    }
    for (i = 0; i < 20; i++) memcpy(many + i * sizeof message, message, sizeof message);
    for (round = 0; round < 200; round++) {
        for (from = 0; from < sizeof many;) {
            size_t piece = (size_t)(random_bits() % 700) + 1;
            const struct sb_event *event;
            if (piece > sizeof many - from) piece = sizeof many - from;
            CHECK(send(served, many + from, piece, 0) == (ssize_t)piece);
            from += piece;
            while ((event = sb_next(client, 0)) != NULL) {
                CHECK(event->type == SB_READING && event->reading->sequence == 1 && strcmp(event->reading->columns[0].unit, "m") == 0);
                count++;
            }
        }
    }
    CHECK(count == 4000);
    /* What tells nothing is heard in several turns, of which nothing waits for another message. */
    for (i = 0; i < 300; i++) memcpy(idle + i * sizeof UPDATE(""), UPDATE(""), sizeof UPDATE(""));
    memcpy(idle + 300 * sizeof UPDATE(""), message, sizeof message);
    CHECK(send(served, idle, sizeof idle, 0) == (ssize_t)sizeof idle);
    SAME(events(client), "");
    ready.fd = sb_fd(client);
    ready.events = POLLIN;
    CHECK(poll(&ready, 1, 0) == 1);
    SAME(events(client), "a#1");
    CHECK(poll(&ready, 1, 0) == 0);
    sb_close(client);
}

static void test_no_memory_for_further_readings(void) {
    sb_client *client;
    static char plain[40000], packed[40000], text[20000];
    static unsigned char bytes[4 * 1000];
    long before = 0;
    int round, count = 0;
    size_t i;
    test_name = "further readings take no memory";
    listen_again();
    client = client_of("a");
    SAME(events(client), "");
    (void)accept_call(&served);
    say(served, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    strcpy(plain, "{\"parameters\":{\"readings\":[{\"resource\":\"a\",\"sequence\":1,\"timestampNanoseconds\":1,\"values\":{\"columns\":{\"x\":[0.125");
    for (i = 1; i < 1000; i++) strcat(plain, ",0.125");
    strcat(plain, "]},\"periodNanoseconds\":1}}]},\"continues\":true}");
    base64(bytes, sizeof bytes, text);
    (void)snprintf(packed, sizeof packed, "{\"parameters\":{\"readings\":[{\"resource\":\"a\",\"sequence\":1,\"timestampNanoseconds\":1,\"values\":"
        "{\"packed\":{\"x\":\"%s\"},\"periodNanoseconds\":1}}]},\"continues\":true}", text);
    /* So slowly that what is due by time is done in between, too. */
    look_ns = 20000000;
    for (round = 0; round < 300; round++) {
        const struct sb_event *event;
        say(served, round % 2 ? plain : packed);
        say(served, UPDATE("\"gaps\":[{\"resource\":\"a\",\"cause\":\"slowClient\",\"fromNanoseconds\":1,\"untilNanoseconds\":2}]"));
        while ((event = sb_next(client, 0)) != NULL) count += event->type == SB_READING && event->reading->count == 1000;
        if (round == 100) before = allocations;
    }
    CHECK(count == 300);
    CHECK(allocations == before);
    look_ns = 0;
    sb_close(client);
}

/* The same little story with memory for ever more steps: whatever is refused, nothing breaks. */
static void test_without_memory(void) {
    long limit;
    test_name = "without memory";
    for (limit = 0; limit < 60; limit++) {
        sb_client *client;
        struct sb_request request;
        const struct sb_resource *resources;
        const struct sb_event *event;
        size_t count;
        int round;
        listen_again();
        refuse_after = limit;
        client = sb_open(socket_path);
        if (!client) {
            refuse_after = -1;
            continue;
        }
        memset(&request, 0, sizeof request);
        request.resource = "a";
        (void)sb_subscribe(client, &request);
        for (round = 0; round < 4; round++) {
            while ((event = sb_next(client, 0)) != NULL) {}
            if (*accept_call(&served)) say(served, FIRST("a", "10"));
            while ((event = sb_next(client, 0)) != NULL) {}
            if (served >= 0) (void)send(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"), sizeof(UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]")), MSG_NOSIGNAL);
            while ((event = sb_next(client, 0)) != NULL) {}
            request.label = "b";
            (void)sb_subscribe(client, &request);
            hurry(client);
        }
        /* Nobody answers. */
        look_ns = 1100000000;
        (void)sb_list(client, 0, &resources, &count);
        look_ns = 0;
        refuse_after = -1;
        sb_close(client);
        CHECK(true);
    }
}

/* Readings for which there is no memory are not lost without a word: the stream is interrupted, and the gap told. */
static void test_readings_without_memory_are_told(void) {
    static char message[40000];
    int round, refused_whole = 0, refused_partly = 0;
    test_name = "readings without memory are told";
    for (round = 0; round < 20 * 30; round++) {
        /* Of so many values each, so that the memory is at its end at ever other places. */
        int readings = 1 + round % 20, more = round / 20;
        sb_client *client;
        const struct sb_event *event;
        int i, delivered = 0;
        int64_t last = 1000;
        listen_again();
        client = client_of("a");
        SAME(events(client), "");
        (void)accept_call(&served);
        say(served, FIRST("a", "10"));
        say(served, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
        SAME(events(client), "connected, a active, a granted 10, a#1");
        strcpy(message, "{\"parameters\":{\"readings\":[");
        for (i = 0; i < readings; i++)
            (void)snprintf(message + strlen(message), 300, "%s{\"resource\":\"a\",\"sequence\":%d,\"timestampNanoseconds\":%d,\"values\":{\"columns\":{\"x\":[0.5%.*s]},"
                "\"periodNanoseconds\":1}}", i ? "," : "", i + 2, 1010 + 100 * i, 2 * more,
                ",5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5");
        strcat(message, "]},\"continues\":true}");
        say(served, message);
        /* The buffer of the socket may grow; what is decoded, and its events, may not. */
        client->stream.bytes = (char *)realloc(client->stream.bytes, client->stream.room = sizeof message);
        refuse_after = 0;
        while ((event = sb_next(client, 0)) != NULL) {
            if (event->type != SB_READING) continue;
            delivered++;
            last = sb_time_ns(event->reading, event->reading->count - 1);
        }
        refuse_after = -1;
        if (sb_outage(client)) {
            char expected[200];
            CHECK(delivered < readings);
            refused_whole += sb_outage(client)->error == SB_ERROR_UNINTELLIGIBLE;
            refused_partly += sb_outage(client)->error == SB_ERROR_SYSTEM;
            hurry(client);
            while ((event = sb_next(client, 0)) != NULL) {}
            (void)accept_call(&served);
            say(served, FIRST("a", "10"));
            say(served, UPDATE("\"readings\":[" SAMPLE("a", "0", "5000") "]"));
            (void)snprintf(expected, sizeof expected, "connected, a granted 10, a active, a gap disconnected %d..5000, a#0!", (int)last);
            SAME(events(client), expected);
        } else {
            CHECK(delivered == readings);
        }
        sb_close(client);
    }
    /* Some fail when they are decoded, others later. */
    CHECK(refused_whole > 0 && refused_partly > 0 && refused_whole + refused_partly < round);
}
