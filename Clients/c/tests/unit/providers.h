/* A program as a sensor: what it offers and sends. */

static const struct sb_offer imu_offers[] = {{.name = "accelerometer:\"arm", .kind = "acceleration", .channels = "x y  z"},
                                             {.name = "light", .channels = " value "}};

static sb_provider *provider_of(const struct sb_offer *offers, size_t count) {
    struct sb_provision provision;
    sb_provider *provider;
    memset(&provision, 0, sizeof provision);
    provision.offers = offers;
    provision.offer_count = count;
    provider = sb_provide(socket_path, &provision);
    if (!provider) abort();
    return provider;
}

/* The events that are there. */
static const char *provider_events(sb_provider *provider) {
    static char line[2000];
    const struct sb_provider_event *event;
    line[0] = 0;
    while ((event = sb_provider_next(provider, 0)) != NULL) {
        char word[400] = "";
        CHECK((event->demand != NULL) + (event->refusal != NULL) + (event->failure != NULL) == 1);
        switch (event->type) {
        case SB_PROVIDER_DEMAND:
            (void)snprintf(word, sizeof word, event->demand->wanted ? "wanted %d %d" : "not wanted", event->demand->interval_ns == SB_UNKNOWN
                ? -1 : (int)event->demand->interval_ns, (int)event->demand->latency_ns);
            break;
        case SB_PROVIDER_REFUSAL: (void)snprintf(word, sizeof word, "refused %d: %s", (int)event->refusal->count, event->refusal->reason); break;
        case SB_PROVIDER_LOST: (void)snprintf(word, sizeof word, "lost %s", sb_error_name(event->failure->error)); break;
        case SB_PROVIDER_ENDED: (void)snprintf(word, sizeof word, "ended %s", sb_error_name(event->failure->error)); break;
        }
        if (strlen(line) + strlen(word) + 3 < sizeof line) {
            strcat(line, *line ? ", " : "");
            strcat(line, word);
        }
    }
    return line;
}

#define ANSWER(parameters) "{\"parameters\":{" parameters "},\"continues\":true}"
#define WANTED ANSWER("\"wanted\":true")

/* What the provider has sent since. */
static const char *receive(int connection) {
    ssize_t count = recv(connection, heard, sizeof heard - 1, MSG_DONTWAIT);
    heard[count < 0 ? 0 : count] = 0;
    return heard;
}

/* A provider that is wanted. */
static sb_provider *wanted_provider(const struct sb_offer *offers, size_t count) {
    sb_provider *provider;
    listen_again();
    provider = provider_of(offers, count);
    SAME(provider_events(provider), "");
    CHECK(strstr(accept_call(&served), "Feed.Provide"));
    say(served, WANTED);
    SAME(provider_events(provider), "wanted -1 0");
    return provider;
}

/* Connects now instead of after a wait. */
static void hurry_provider(sb_provider *provider) { provider->link.at = earlier(provider->link.at, 1); }

#define PUSH(samples) "{\"method\":\"io.sensorbroker.Feed.Push\",\"parameters\":{\"samples\":[" samples "]},\"oneway\":true}"

static void test_a_provider(void) {
    static const double numbers[] = {0.5, -1.25, 9.75, 100};
    static const int64_t intervals[] = {5, 10};
    struct sb_provision provision;
    sb_provider *provider;
    test_name = "a provider";
    listen_again();
    memset(&provision, 0, sizeof provision);
    provision.offers = imu_offers;
    provision.offer_count = 2;
    provision.description = "an \"arm\"";
    provision.intervals_ns = intervals;
    provision.interval_count = 2;
    provision.shortest_ns = 1;
    provision.longest_ns = 2;
    provision.interval_ns = 3;
    provision.rest_ns = 4;
    provision.simulated = true;
    provider = sb_provide(socket_path, &provision);
    CHECK(!sb_provider_outage(provider) && !sb_provider_demand(provider)->wanted);
    CHECK(sb_push(provider, 5, numbers) == SB_OK);
    SAME(accept_call(&served), "{\"method\":\"io.sensorbroker.Feed.Provide\",\"parameters\":{\"resources\":["
        "{\"name\":\"accelerometer:\\\"arm\",\"kind\":\"acceleration\"},{\"name\":\"light\"}],\"description\":\"an \\\"arm\\\"\","
        "\"intervalsNanoseconds\":[5,10],\"shortestNanoseconds\":1,\"longestNanoseconds\":2,\"intervalNanoseconds\":3,\"restNanoseconds\":4,"
        "\"simulated\":true},\"more\":true}");
    SAME(provider_events(provider), "");
    say(served, ANSWER("\"wanted\":false"));
    SAME(provider_events(provider), "not wanted");
    /* Nobody wants them. */
    CHECK(sb_push(provider, 5, numbers) == SB_OK);
    SAME(receive(served), "");
    say(served, ANSWER("\"wanted\":true,\"intervalNanoseconds\":10,\"latencyNanoseconds\":7"));
    /* A push hears it, and the event is there for whoever asks. */
    CHECK(sb_push(provider, 5, numbers) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"accelerometer:\\\"arm\",\"timestampNanoseconds\":5,\"values\":{\"columns\":{\"x\":[0.5],\"y\":[-1.25],\"z\":[9.75]}}},"
        "{\"resource\":\"light\",\"timestampNanoseconds\":5,\"values\":{\"columns\":{\"value\":[100.0]}}}"));
    SAME(provider_events(provider), "wanted 10 7");
    say(served, ANSWER("\"wanted\":true,\"intervalNanoseconds\":10,\"latencyNanoseconds\":7,\"refused\":{\"count\":2,\"reason\":\"too old\"}"));
    say(served, ANSWER("\"wanted\":true,\"intervalNanoseconds\":5,\"refused\":{\"count\":3,\"reason\":\"too new\"}"));
    SAME(provider_events(provider), "refused 5: too new, wanted 5 0");
    /* The end, and the return. */
    close(served);
    served = -1;
    SAME(provider_events(provider), "lost disconnected");
    CHECK(sb_provider_outage(provider) && !sb_provider_demand(provider)->wanted);
    CHECK(sb_push(provider, 5, numbers) == SB_ERROR_DISCONNECTED);
    CHECK(sb_provider_last_failure(provider)->error == SB_ERROR_DISCONNECTED);
    hurry_provider(provider);
    SAME(provider_events(provider), "");
    CHECK(strstr(accept_call(&served), "Feed.Provide"));
    say(served, WANTED);
    SAME(provider_events(provider), "wanted -1 0");
    CHECK(!sb_provider_outage(provider));
    /* Without an answer it is given up. */
    close(served);
    served = -1;
    SAME(provider_events(provider), "lost disconnected");
    hurry_provider(provider);
    SAME(provider_events(provider), "");
    CHECK(strstr(accept_call(&served), "Feed.Provide"));
    provider->answer_by = 1;
    SAME(provider_events(provider), "");
    CHECK(provider->wire.fd < 0 && strstr(sb_provider_outage(provider)->text, "does not answer"));
    sb_provider_close(provider);
    sb_provider_close(NULL);
}

/* Whether the other side has ended the connection, and nothing is left to be read. */
static bool has_ended(int connection) {
    char byte;
    return recv(connection, &byte, 1, MSG_DONTWAIT) == 0;
}

/* A child of fork() that lives on keeps nothing alive; one that closes its copies ends nothing of its parent's. */
static void test_close_beside_a_child(void) {
    static const double number = 7;
    sb_provider *provider = wanted_provider(&imu_offers[1], 1);
    sb_client *client = client_of("a");
    int status, hold_open[2];
    pid_t child;
    test_name = "close beside a child of fork()";
    SAME(events(client), "");
    (void)accept_call(&changed);
    say(changed, FIRST("a", "10"));
    SAME(events(client), "connected, a active, a granted 10");
    child = fork();
    if (child == 0) {
        sb_close(client);
        sb_provider_close(provider);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(!has_ended(changed) && !has_ended(served));
    say(changed, UPDATE("\"readings\":[" SAMPLE("a", "1", "1000") "]"));
    SAME(events(client), "a#1");
    if (pipe(hold_open) != 0) abort();
    child = fork();
    if (child == 0) {
        char byte;
        close(hold_open[1]);
        (void)!read(hold_open[0], &byte, 1);
        _exit(0);
    }
    CHECK(sb_push(provider, 5, &number) == SB_OK);
    sb_close(client);
    sb_provider_close(provider);
    CHECK(has_ended(changed));
    /* What was sent before is not lost. */
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"timestampNanoseconds\":5,\"values\":{\"columns\":{\"value\":[7.0]}}}"));
    CHECK(has_ended(served));
    close(hold_open[0]);
    close(hold_open[1]);
    CHECK(waitpid(child, &status, 0) == child);
}

static void test_samples_of_several_times(void) {
    static const struct sb_offer offer = {.name = "light", .channels = "a b"};
    static const double doubles[] = {1, 2, 3, 4, 5, 6};
    static const float floats[] = {1.5f, -2.f, 0.1f, 4.f, 5.f, 6.f};
    static const int64_t stamps[] = {1000, 1010, 1025}, far[] = {1000, 1010, 5000000000000};
    sb_provider *provider;
    struct sb_samples samples;
    char long_text[400];
    test_name = "samples of several times";
    provider = wanted_provider(&offer, 1);
    memset(&samples, 0, sizeof samples);
    samples.count = 3;
    samples.doubles = doubles;
    CHECK(sb_provider_push(provider, &samples) == SB_ERROR_INVALID_REQUEST);
    CHECK(strstr(sb_provider_last_failure(provider)->text, "period"));
    samples.period_ns = 10;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"values\":{\"columns\":{\"a\":[1.0,3.0,5.0],\"b\":[2.0,4.0,6.0]},\"periodNanoseconds\":10}}"));
    samples.timestamps_ns = stamps;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"timestampNanoseconds\":1000,\"values\":{\"columns\":{\"a\":[1.0,3.0,5.0],\"b\":[2.0,4.0,6.0]},"
        "\"timestampsNanoseconds\":[1000,1010,1025]}}"));
    samples.floats = floats;
    CHECK(sb_provider_push(provider, &samples) == SB_ERROR_INVALID_REQUEST);
    samples.doubles = NULL;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"timestampNanoseconds\":1000,\"values\":{\"packed\":{\"a\":\"AADAP83MzD0AAKBA\",\"b\":\"AAAAwAAAgEAAAMBA\"},"
        "\"packedStepsNanoseconds\":\"CgAAAA8AAAA=\"}}"));
    samples.timestamps_ns = far;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    CHECK(strstr(receive(served), "\"timestampsNanoseconds\":[1000,1010,5000000000000]"));
    samples.count = 1;
    samples.timestamps_ns = NULL;
    samples.timestamp_ns = 7;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"light\",\"timestampNanoseconds\":7,\"values\":{\"packed\":{\"a\":\"AADAPw==\",\"b\":\"AAAAwA==\"}}}"));
    samples.count = 1 << 19;
    CHECK(sb_provider_push(provider, &samples) == SB_ERROR_INVALID_REQUEST);
    /* A reason that is too long is cut, not within a character; further ones are added up until they are told. */
    memset(long_text, 'a', 254);
    strcpy(long_text + 254, "\xc3\xa4\xc3\xa4");
    (void)snprintf(heard, sizeof heard, ANSWER("\"wanted\":true,\"refused\":{\"count\":2,\"reason\":\"%s\"}"), long_text);
    say(served, heard);
    say(served, ANSWER("\"wanted\":true"));
    say(served, heard);
    samples.count = 0;
    CHECK(sb_provider_push(provider, &samples) == SB_OK);
    long_text[254] = 0;
    {
        const struct sb_provider_event *event = sb_provider_next(provider, 0);
        CHECK(event && event->type == SB_PROVIDER_REFUSAL && event->refusal->count == 4);
        if (event && event->refusal) SAME(event->refusal->reason, long_text);
    }
    sb_provider_close(provider);
}

static void test_a_location_is_provided(void) {
    static const struct sb_offer offer = {.name = "location"};
    struct sb_location location;
    struct sb_satellite satellite;
    sb_provider *provider;
    test_name = "a location is provided";
    provider = wanted_provider(&offer, 1);
    sb_location_clear(&location);
    CHECK(sb_push_location(provider, 0, &location) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"location\",\"location\":{\"fix\":\"none\"}}"));
    location.fix = SB_FIX_3D;
    location.utc_microseconds = 5;
    location.latitude_degrees = -48.5;
    location.status = "dgps";
    location.satellites_used = 0;
    location.baseline_heading_degrees = 1e-300;
    memset(&satellite, 0, sizeof satellite);
    satellite.prn = 7;
    satellite.system = "gps";
    satellite.system_number = SB_UNKNOWN;
    satellite.elevation_degrees = satellite.azimuth_degrees = NAN;
    satellite.signal_decibel_hertz = 40;
    location.satellites = &satellite;
    location.satellite_count = 1;
    CHECK(sb_push_location(provider, 9, &location) == SB_OK);
    SAME(receive(served), PUSH("{\"resource\":\"location\",\"timestampNanoseconds\":9,\"location\":{\"fix\":\"3d\",\"utcMicroseconds\":5,\"latitudeDegrees\":-48.5,"
        "\"satellitesUsed\":0,\"status\":\"dgps\",\"baselineHeadingDegrees\":1e-300,"
        "\"satellites\":[{\"used\":false,\"prn\":7,\"system\":\"gps\",\"signalDecibelHertz\":40.0}]}}"));
    location.altitude_meters = -INFINITY;
    CHECK(sb_push_location(provider, 9, &location) == SB_ERROR_INVALID_REQUEST);
    location.altitude_meters = NAN;
    /* A broker would end the connection for these. */
    location.status = "d\xe4ps";
    CHECK(sb_push_location(provider, 9, &location) == SB_ERROR_INVALID_REQUEST);
    location.status = "d\xc3\xa4ps";
    satellite.system = "\xff";
    CHECK(sb_push_location(provider, 9, &location) == SB_ERROR_INVALID_REQUEST);
    satellite.system = NULL;
    satellite.azimuth_degrees = INFINITY;
    CHECK(sb_push_location(provider, 9, &location) == SB_ERROR_INVALID_REQUEST);
    satellite.azimuth_degrees = NAN;
    CHECK(sb_push_location(provider, 9, &location) == SB_OK);
    CHECK(sb_push(provider, 0, &location.latitude_degrees) == SB_ERROR_INVALID_REQUEST);
    sb_provider_close(provider);
}
