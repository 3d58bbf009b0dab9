/*
 * Fuzzes what comes from the socket: a reply, or several messages that a subscribed client hears. Whatever they are, nothing may
 * break, and what is delivered must be whole: texts with an end, columns of the length that is said, finite numbers.
 *
 * With clang's libFuzzer (`make fuzz`) the inputs are its own; without, `main` changes the files that it is given FUZZ_ROUNDS
 * times, always in the same way.
 */

#include "../sensorbroker.c"

#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "fuzz: not so: %s\n", #condition); \
            abort(); \
        } \
    } while (0)

static volatile double sink;

static void use_text(const char *text) {
    if (text) sink += (double)strlen(text);
}

static void use_columns(const struct sb_column *columns, size_t column_count, size_t count, bool with_unknown) {
    size_t i, row;
    for (i = 0; i < column_count; i++) {
        use_text(columns[i].name);
        use_text(columns[i].unit);
        REQUIRE(columns[i].count == count);
        REQUIRE((columns[i].doubles == NULL) != (columns[i].floats == NULL));
        for (row = 0; row < count; row++) {
            double value = sb_value(&columns[i], row);
            REQUIRE(isfinite(value) || (with_unknown && isnan(value)));
        }
    }
}

static void use_reading(const struct sb_reading *reading) {
    size_t i;
    REQUIRE(reading->count >= 1);
    use_text(reading->resource);
    use_text(reading->label);
    use_text(reading->orientation);
    sink += (double)sb_time_ns(reading, 0) + (double)sb_time_ns(reading, reading->count - 1);
    use_columns(reading->columns, reading->column_count, reading->count, false);
    for (i = 0; i < reading->aligned_count; i++) {
        use_text(reading->aligned[i].resource);
        use_text(reading->aligned[i].alignment);
        use_columns(reading->aligned[i].columns, reading->aligned[i].column_count, reading->count, true);
    }
    if (reading->location) {
        for (i = 0; i < reading->location->satellite_count; i++) use_text(reading->location->satellites[i].system);
        REQUIRE(!isinf(reading->location->latitude_degrees));
    }
}

static void use_resource(const struct sb_resource *resource) {
    size_t i;
    use_text(resource->name);
    use_text(resource->kind);
    use_text(resource->state_name);
    use_text(resource->reason);
    use_text(resource->description);
    for (i = 0; i < resource->channel_count; i++) {
        use_text(resource->channels[i].name);
        use_text(resource->channels[i].unit);
    }
}

static void use_event(const struct sb_event *event) {
    use_text(event->request);
    if (event->reading) use_reading(event->reading);
    if (event->resource) use_resource(event->resource);
    if (event->gap) use_text(event->gap->cause);
    if (event->grant) REQUIRE(event->grant->interval_ns >= -1);
    if (event->failure) use_text(event->failure->text);
}

/* The same message for a provider. */
static void use_provider(sb_provider *provider, char *message) {
    const struct sb_provider_event *event;
    provider->has_ended = false;
    provider_hear(provider, message, sb_now_ns());
    while ((event = take_provider_event(provider)) != NULL) {
        if (event->refusal) use_text(event->refusal->reason);
        if (event->failure) use_text(event->failure->text);
        if (event->demand) REQUIRE(event->demand->latency_ns >= 0 && (event->demand->interval_ns >= 0 || event->demand->interval_ns == SB_UNKNOWN));
        if (event->refusal) REQUIRE(event->refusal->count >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"a", "accelerometer", "location", "orientation"};
    static const struct sb_offer offer = {.name = "a", .channels = "x"};
    static const struct sb_provision provision = {.offers = &offer, .offer_count = 1};
    sb_client *client = sb_open("/nonexistent/socket");
    sb_provider *provider = sb_provide("/nonexistent/io.sensorbroker.Broker", &provision);
    const struct sb_event *event;
    size_t i, start;
    if (!client || !provider) return 0;
    for (i = 0; i < COUNT_OF(names); i++) {
        struct sb_request request;
        memset(&request, 0, sizeof request);
        request.resource = names[i];
        request.packed = i == 1;
        (void)sb_subscribe(client, &request);
    }
    while ((event = sb_next(client, 0)) != NULL) use_event(event);
    for (start = 0; start < size;) {
        const uint8_t *end = (const uint8_t *)memchr(data + start, 0, size - start);
        size_t length = end ? (size_t)(end - data) - start : size - start;
        /* Exactly as long as it is, so that the sanitizer sees a byte too many. */
        char *message = (char *)malloc(length + 1), *again = (char *)malloc(length + 1);
        if (!message || !again) break;
        memcpy(message, data + start, length);
        message[length] = 0;
        memcpy(again, message, length + 1);
        arena_reset(&client->arena);
        hear_stream(client, message, sb_now_ns());
        while ((event = take_event(client)) != NULL) use_event(event);
        use_provider(provider, again);
        free(message);
        free(again);
        start += length + 1;
    }
    sb_provider_close(provider);
    sb_close(client);
    return 0;
}

#ifdef FUZZ_ROUNDS
static uint64_t state = 88172645463325252u;

static size_t random_below(size_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return bound ? (size_t)(state % bound) : 0;
}

int main(int count, char **words) {
    static uint8_t original[1 << 20], changed[(1 << 20) + 64];
    static const char *const bits[] = {"\"", "\\", "{", "}", "[", "]", ",", ":", "null", "-", "1e999", "\\u0000", "\\ud800", "=", "AAAA", "\xff", "0", "9223372036854775807"};
    int file;
    long rounds = 0;
    for (file = 1; file < count; file++) {
        FILE *input = fopen(words[file], "rb");
        size_t size;
        int round;
        if (!input) {
            perror(words[file]);
            return 1;
        }
        size = fread(original, 1, sizeof original, input);
        fclose(input);
        for (round = 0; round < FUZZ_ROUNDS / count; round++, rounds++) {
            size_t length = size, changes = random_below(4), place;
            memcpy(changed, original, size);
            while (round && changes-- > 0 && length) {
                const char *bit = bits[random_below(COUNT_OF(bits))];
                size_t width = strlen(bit);
                place = random_below(length);
                switch (random_below(4)) {
                case 0: changed[place] = (uint8_t)random_below(256); break;
                case 1:
                    if (place + width <= length) memcpy(changed + place, bit, width);
                    break;
                case 2: length = place; break;
                default: memmove(changed + place, changed + place + 1, length - place - 1); length--; break;
                }
            }
            (void)LLVMFuzzerTestOneInput(changed, length);
        }
    }
    printf("%ld inputs\n", rounds);
    return 0;
}
#endif
