/* Provisions that are refused, brokers that do not read, and no memory for samples. */

static void test_provisions_that_are_refused(void) {
    static const struct {
        const char *reply, *events;
    } replies[] = {
        {"{\"error\":\"io.sensorbroker.Feed.NotAllowed\",\"parameters\":{\"resource\":\"light\",\"reason\":\"add [Feed light]\"}}", "lost notPermitted"},
        {"{\"error\":\"io.sensorbroker.Feed.NameTaken\",\"parameters\":{\"resource\":\"light\",\"holder\":\"iio:device0\"}}", "lost nameTaken"},
        {"{\"error\":\"io.sensorbroker.Feed.NoSuchKind\",\"parameters\":{\"kind\":\"light\"}}", "ended noSuchKind"},
        {"{\"error\":\"io.sensorbroker.Feed.TooManyConnections\",\"parameters\":{\"limit\":5}}", "lost tooManySubscriptions"},
        {"{\"error\":\"org.varlink.service.PermissionDenied\"}", "lost notPermitted"},
        {"{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"resources\"}}", "ended invalidRequest"},
        {"{\"error\":\"io.sensorbroker.Feed.Tomorrow\"}", "lost unintelligible"},
        {"{\"error\":\"a.b.C\",\"continues\":true}", "lost unintelligible"},
        {"{\"parameters\":{\"wanted\":true}}", "lost disconnected"},
        {"{\"parameters\":{}}", "lost unintelligible"},
        {ANSWER("\"wanted\":1"), "lost unintelligible"},
        {ANSWER("\"wanted\":null"), "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"intervalNanoseconds\":-1"), "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"latencyNanoseconds\":1.5"), "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"refused\":{\"count\":1}"), "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"refused\":{\"count\":-1,\"reason\":\"\"}"), "lost unintelligible"},
        {"x", "lost unintelligible"},
        {ANSWER("\"wanted\":true,\"wanted\":true"), "lost unintelligible"},
    };
    static const struct sb_offer good = {.name = "light", .channels = "value"};
    static const struct sb_offer bad[] = {{.name = NULL}, {.name = ""}, {.name = "a\n"}, {.name = "a", .kind = ""}, {.name = "a", .channels = " "},
        {.name = "a", .channels = "a a a a a a a a a a a a a a a a a"}, {.name = "a", .channels = "\x01"}};
    static const struct sb_offer two[] = {{.name = "location"}, {.name = "location:2"}};
    sb_provider *provider;
    struct sb_provision provision;
    static char long_text[66000];
    size_t i;
    test_name = "provisions that are refused";
    for (i = 0; i < COUNT_OF(replies); i++) {
        const struct sb_failure *outage;
        listen_again();
        provider = provider_of(&good, 1);
        SAME(provider_events(provider), "");
        (void)accept_call(&served);
        say(served, replies[i].reply);
        SAME(provider_events(provider), replies[i].events);
        outage = sb_provider_outage(provider);
        CHECK(outage && strlen(outage->text) > 20 && (outage->retry_ns == SB_UNKNOWN) == (replies[i].events[0] == 'e'));
        if (i == 0) CHECK(strstr(outage->text, "add [Feed light]"));
        if (i == 1) CHECK(strstr(outage->text, "iio:device0"));
        /* Told once; asked for again only if that can help. */
        hurry_provider(provider);
        SAME(provider_events(provider), "");
        CHECK((*accept_call(&served) != 0) == (replies[i].events[0] == 'l'));
        say(served, replies[i].reply);
        SAME(provider_events(provider), "");
        sb_provider_close(provider);
    }
    for (i = 0; i < COUNT_OF(bad); i++) {
        provider = provider_of(&bad[i], 1);
        SAME(provider_events(provider), "ended invalidRequest");
        CHECK(sb_push(provider, 0, NULL) == SB_ERROR_INVALID_REQUEST);
        sb_provider_close(provider);
    }
    provider = provider_of(two, 2);
    SAME(provider_events(provider), "ended invalidRequest");
    sb_provider_close(provider);
    memset(&provision, 0, sizeof provision);
    provision.offers = &good;
    provision.offer_count = 1;
    provision.shortest_ns = 5;
    provider = sb_provide(socket_path, &provision);
    SAME(provider_events(provider), "ended invalidRequest");
    sb_provider_close(provider);
    provision.shortest_ns = 0;
    provision.description = "Ger\xe4t";
    provider = sb_provide(socket_path, &provision);
    SAME(provider_events(provider), "ended invalidRequest");
    sb_provider_close(provider);
    /* A broker takes no longer call. */
    memset(long_text, 'a', sizeof long_text - 1);
    provision.description = long_text;
    provider = sb_provide(socket_path, &provision);
    SAME(provider_events(provider), "ended invalidRequest");
    CHECK(strstr(sb_provider_outage(provider)->text, "65,536 bytes"));
    sb_provider_close(provider);
    provision.description = long_text + 1000;
    provider = sb_provide(socket_path, &provision);
    SAME(provider_events(provider), "");
    sb_provider_close(provider);
    provision.description = NULL;
    /* The providers' socket is found beside a broker's only. */
    provider = sb_provide("/tmp/other", &provision);
    SAME(provider_events(provider), "ended invalidRequest");
    sb_provider_close(provider);
    provider = sb_provide("/nonexistent/io.sensorbroker.Broker.drone", &provision);
    SAME(provider_events(provider), "lost brokerMissing");
    CHECK(strstr(sb_provider_outage(provider)->text, "/nonexistent/io.sensorbroker.Feed.drone"));
    sb_provider_close(provider);
}

/* A broker that does not read: what does not fit is dropped and counted, and what was sent is whole. */
static void test_a_broker_that_does_not_read(void) {
    static const struct sb_offer offer = {.name = "light", .channels = "value"};
    static double many[3000];
    sb_provider *provider;
    struct sb_samples samples;
    static const char push[] = "{\"method\":\"io.sensorbroker.Feed.Push\",";
    static char all[1 << 22];
    size_t length = 0, messages = 0, i, start = 0;
    int sent = 0, calls = 0, round;
    test_name = "a broker that does not read";
    provider = wanted_provider(&offer, 1);
    memset(&samples, 0, sizeof samples);
    samples.doubles = many;
    samples.period_ns = 1;
    for (i = 0; i < 3000; i++) many[i] = 1.0 / (double)(i + 3);
    for (round = 0; round < 300; round++) {
        enum sb_error error;
        samples.count = round % 3 ? 3000 : 1;
        error = sb_provider_push(provider, &samples);
        if (error == SB_OK) sent++, calls += samples.count > 1 ? 2 : 1;
        else CHECK(error == SB_ERROR_BROKER_BUSY);
    }
    CHECK(sent > 0 && sent < 300 && sb_provider_dropped(provider) > 1000);
    CHECK(provider->push.length == 0 || provider->sent > 0);
    for (round = 0; round < 1000; round++) {
        ssize_t count = recv(served, all + length, sizeof all - length, MSG_DONTWAIT);
        if (count > 0) length += (size_t)count;
        SAME(provider_events(provider), "");
        if (count <= 0) break;
    }
    CHECK(provider->push.length == 0 && !provider->is_sending);
    for (i = 0; i < length; i++) {
        if (all[i]) continue;
        CHECK(strncmp(all + start, push, sizeof push - 1) == 0 && strcmp(all + i - 15, ",\"oneway\":true}") == 0 && i - start < 65536);
        messages++;
        start = i + 1;
    }
    /* A long push takes two calls. */
    CHECK(start == length && messages == (size_t)calls);
    /* It goes on as before. */
    CHECK(sb_push(provider, 3, many) == SB_OK);
    CHECK(strstr(receive(served), "\"timestampNanoseconds\":3"));
    sb_provider_close(provider);
}

/* How many whole calls a connection has, until nothing more has come. */
static int calls_received(int connection) {
    static char bytes[1 << 16];
    ssize_t count;
    int calls = 0;
    while ((count = recv(connection, bytes, sizeof bytes, 0)) > 0)
        for (; count > 0; count--) calls += bytes[count - 1] == 0;
    return calls;
}

/* A provider whose last push, of so many times, has not left it as a whole. */
static sb_provider *busy_provider(size_t times) {
    static const struct sb_offer offer = {.name = "light", .channels = "value"};
    double *many = (double *)calloc(times, sizeof *many);
    sb_provider *provider = wanted_provider(&offer, 1);
    struct sb_samples samples;
    size_t i;
    memset(&samples, 0, sizeof samples);
    samples.doubles = many;
    samples.period_ns = 1;
    samples.count = times;
    for (i = 0; i < times; i++) many[i] = 1.0 / (double)(i + 3);
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    CHECK(provider->push.length && sb_provider_dropped(provider) == 0);
    free(many);
    return provider;
}

/* What of a long push has no room yet when the provider ends is sent, or counted. */
static void test_the_rest_of_a_push(void) {
    enum { TIMES = 40000 };
    sb_provider *provider = busy_provider(TIMES);
    int per_call = (int)provider->pushed_per_call, calls, status;
    pid_t child;
    test_name = "the rest of a push";
    child = fork();
    if (child == 0) _exit(calls_received(served));
    CHECK(sb_provider_close(provider) == 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == (TIMES + per_call - 1) / per_call);
    /* A broker that reads nothing is not waited for for ever. */
    provider = busy_provider(TIMES);
    look_ns = 1100000000;
    calls = (int)sb_provider_close(provider);
    look_ns = 0;
    CHECK(calls == TIMES - per_call * calls_received(served));
    /* Nor is what it never got forgotten when it goes away. */
    provider = busy_provider(TIMES);
    close(served);
    served = -1;
    SAME(provider_events(provider), "lost disconnected");
    calls = (int)sb_provider_dropped(provider);
    CHECK(calls > 0 && calls % per_call == TIMES % per_call);
    CHECK(sb_provider_close(provider) == calls);
}

static void test_no_memory_for_further_samples(void) {
    static const double numbers[] = {0.1, 0.2, 0.3, 0.4};
    sb_provider *provider;
    long before = 0, limit;
    int round;
    test_name = "further samples take no memory";
    provider = wanted_provider(imu_offers, 2);
    for (round = 0; round < 300; round++) {
        say(served, ANSWER("\"wanted\":true,\"intervalNanoseconds\":5,\"refused\":{\"count\":1,\"reason\":\"late\"}"));
        CHECK(sb_push(provider, round + 1, numbers) == SB_OK);
        CHECK(*receive(served));
        (void)provider_events(provider);
        if (round == 10) before = allocations;
    }
    CHECK(allocations == before);
    sb_provider_close(provider);
    /* With memory for ever more steps: whatever is refused, nothing breaks. */
    test_name = "a provider without memory";
    for (limit = 0; limit < 40; limit++) {
        struct sb_provision provision;
        listen_again();
        memset(&provision, 0, sizeof provision);
        provision.offers = imu_offers;
        provision.offer_count = 2;
        refuse_after = limit;
        provider = sb_provide(socket_path, &provision);
        for (round = 0; provider && round < 4; round++) {
            (void)sb_push(provider, 0, numbers);
            if (*accept_call(&served)) say(served, WANTED);
            (void)provider_events(provider);
            (void)sb_push(provider, 0, numbers);
            hurry_provider(provider);
        }
        refuse_after = -1;
        CHECK(provider || limit < 20);
        sb_provider_close(provider);
    }
}
