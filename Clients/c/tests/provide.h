/*
 * conform --provide SOCKET OFFER...: shows what a program that is a sensor sees, as lines, and takes commands. A part of conform.c;
 * Clients/conformance/README.md describes offers, commands and lines.
 */

enum { MOST_NUMBERS_OF_LINE = 16384 };

static struct sb_offer offers[16];
static size_t offer_count, width; /* width: of the numbers of all offers */

static int64_t intervals[64];
static struct sb_provision provision;

/* Reads an option such as -interval=10, whose text stays in the line. */
static void parse_option(char *word) {
    char *value = strchr(word, '='), *rest = NULL, *one;
    if (!value) usage("an option has no value");
    *value++ = 0;
    if (strcmp(word, "-description") == 0)
        provision.description = value;
    else if (strcmp(word, "-interval") == 0)
        provision.interval_ns = integer(value);
    else if (strcmp(word, "-shortest") == 0)
        provision.shortest_ns = integer(value);
    else if (strcmp(word, "-longest") == 0)
        provision.longest_ns = integer(value);
    else if (strcmp(word, "-rest") == 0)
        provision.rest_ns = integer(value);
    else if (strcmp(word, "-simulated") == 0)
        provision.simulated = integer(value) != 0;
    else if (strcmp(word, "-intervals") == 0)
        for (one = strtok_r(value, "+", &rest); one && provision.interval_count < 64; one = strtok_r(NULL, "+", &rest))
            intervals[provision.interval_count++] = integer(one);
    else
        usage("there is no such option");
}

static void parse_offer(char *word) {
    struct sb_offer *offer = &offers[offer_count++];
    char *rest = NULL, *field, *c;
    if (offer_count > 15) usage("there are too many offers");
    offer->name = strtok_r(word, ",", &rest);
    if (!offer->name) usage("an offer has no name");
    offer->channels = strncmp(offer->name, "location", 8) == 0 ? NULL : "x y z";
    while ((field = strtok_r(NULL, ",", &rest)) != NULL) {
        if (strncmp(field, "kind=", 5) == 0) {
            offer->kind = field + 5;
        } else if (strncmp(field, "channels=", 9) == 0) {
            for (c = field + 9; *c; c++)
                if (*c == '+') *c = ' ';
            offer->channels = field + 9;
        } else {
            usage("there is no such field");
        }
    }
    if (!offer->channels) return;
    width++;
    for (const char *space = strchr(offer->channels, ' '); space; space = strchr(space + 1, ' ')) width++;
}

static void show_provider_event(const struct sb_provider_event *event) {
    switch (event->type) {
    case SB_PROVIDER_DEMAND:
        begin("demand");
        printf(",\"wanted\":%s", event->demand->wanted ? "true" : "false");
        whole("intervalNanoseconds", event->demand->interval_ns);
        whole("latencyNanoseconds", event->demand->latency_ns);
        end();
        break;
    case SB_PROVIDER_REFUSAL:
        begin("refusal");
        whole("count", event->refusal->count);
        member("reason", event->refusal->reason);
        end();
        break;
    case SB_PROVIDER_LOST: show_failure("disconnected", NULL, event->failure); break;
    case SB_PROVIDER_ENDED:
        show_failure("error", NULL, event->failure);
        exit_status = 1;
        break;
    }
}

/* push STAMP NUMBER..., rows STAMP PERIOD NUMBER..., packed STAMP PERIOD NUMBER..., location STAMP LATITUDE LONGITUDE,
   flood COUNT */
static void provider_command(sb_provider *provider, char *line) {
    static double doubles[MOST_NUMBERS_OF_LINE];
    static float floats[MOST_NUMBERS_OF_LINE];
    static int64_t stamps[MOST_NUMBERS_OF_LINE];
    struct sb_samples samples;
    struct sb_location location;
    char *rest = NULL, *word, *verb = strtok_r(line, " ", &rest), *stamp = strtok_r(NULL, " ", &rest), *inner = NULL;
    size_t count = 0, stamp_count = 0;
    enum sb_error error;
    if (verb && strcmp(verb, "quit") == 0) {
        exit_status = 0;
        return;
    }
    if (!stamp) usage("a command needs more words");
    memset(&samples, 0, sizeof samples);
    if (strcmp(verb, "flood") == 0) {
        int64_t times = integer(stamp);
        for (count = 0; count < 1000; count++) doubles[count] = 0.125;
        samples.count = 1000;
        samples.doubles = doubles;
        samples.timestamp_ns = samples.period_ns = 1;
        while (times-- > 0) (void)sb_provider_push(provider, &samples);
        begin("flooded");
        whole("dropped", sb_provider_dropped(provider));
        end();
        return;
    }
    samples.timestamp_ns = integer(stamp);
    if (strcmp(verb, "rows") == 0 || strcmp(verb, "packed") == 0) {
        char *period = strtok_r(NULL, " ", &rest);
        for (word = period ? strtok_r(period, "+", &inner) : NULL; word; word = strtok_r(NULL, "+", &inner))
            stamps[stamp_count++] = integer(word);
        if (stamp_count == 1)
            samples.period_ns = stamps[0];
        else
            samples.timestamps_ns = stamps;
    }
    for (word = strtok_r(NULL, " ", &rest); word && count < MOST_NUMBERS_OF_LINE; word = strtok_r(NULL, " ", &rest), count++) {
        doubles[count] = strtod(word, NULL);
        floats[count] = (float)doubles[count];
    }
    if (strcmp(verb, "location") == 0) {
        sb_location_clear(&location);
        location.fix = SB_FIX_3D;
        location.latitude_degrees = doubles[0];
        location.longitude_degrees = doubles[1];
        samples.location = &location;
    } else {
        samples.count = width ? count / width : 0;
        if (strcmp(verb, "packed") == 0)
            samples.floats = floats;
        else
            samples.doubles = doubles;
    }
    error = sb_provider_push(provider, &samples);
    if (error == SB_OK)
        begin("pushed");
    else if (error == SB_ERROR_INVALID_REQUEST)
        begin("refused");
    else
        begin("dropped");
    if (error != SB_OK) {
        member("error", sb_error_name(error));
        member("text", sb_provider_last_failure(provider)->text);
    }
    end();
}

static int provide(int count, char **words) {
    sb_provider *provider;
    int i;
    if (count < 2) usage("there is no socket, or no offer");
    for (i = 1; i < count; i++)
        if (words[i][0] == '-')
            parse_option(words[i]);
        else
            parse_offer(words[i]);
    provision.offers = offers;
    provision.offer_count = offer_count;
    provision.intervals_ns = intervals;
    provider = sb_provide(words[0], &provision);
    if (!provider) {
        perror("conform");
        return 71;
    }
    while (exit_status < 0) {
        struct pollfd ready[2];
        const struct sb_provider_event *event;
        while (exit_status < 0 && (event = sb_provider_next(provider, 0)) != NULL) show_provider_event(event);
        if (exit_status >= 0) break;
        memset(ready, 0, sizeof ready);
        ready[0].fd = sb_provider_fd(provider);
        ready[1].fd = 0;
        ready[0].events = ready[1].events = POLLIN;
        if (poll(ready, 2, -1) < 0 && errno != EINTR) return 71;
        if (ready[1].revents) hear_commands(NULL, provider);
    }
    sb_provider_close(provider);
    return exit_status;
}
