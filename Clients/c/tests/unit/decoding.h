/* What is taken for a reply, what is refused, and how numbers and columns are read. */

static struct arena test_arena;
static char *test_message;
static const char *test_fault;

/* Decodes a text as a reply; the structures are valid until the next one. */
static bool read_as_reply(const char *text, struct reply *reply) {
    static locale_t locale;
    struct reader *reader = (struct reader *)calloc(1, sizeof *reader);
    bool is_good;
    if (!locale) locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    arena_reset(&test_arena);
    free(test_message);
    /* Exactly as long as it is: the address sanitizer sees a byte too many. */
    test_message = (char *)malloc(strlen(text) + 1);
    memcpy(test_message, text, strlen(text) + 1);
    reader->at = test_message;
    reader->arena = &test_arena;
    reader->locale = locale;
    is_good = read_reply(reader, reply);
    test_fault = reader->fault;
    CHECK(is_good == (reader->fault == NULL));
    free(reader);
    return is_good;
}

#define READING(more) "{\"parameters\":{\"readings\":[{\"resource\":\"r\",\"sequence\":1,\"timestampNanoseconds\":1000" more "}]}}"
#define VALUES(values) READING(",\"values\":" values)
#define UNKNOWN_VALUE(value) "{\"parameters\":{\"tomorrow\":" value "}}"

static void test_what_is_a_reply(void) {
    static const char *const good[] = {
        "{}",
        " \t\r\n{ } ",
        "{\"parameters\":{}}",
        "{\"parameters\":null}",
        "{\"parameters\":{},\"continues\":true}",
        "{\"continues\":false,\"parameters\":{}}",
        "{\"error\":\"a.b.C\"}",
        "{\"error\":\"a.b.C\",\"parameters\":{\"resource\":\"x\",\"limit\":-3}}",
        "{\"org.example.more\":{\"a\":[1,{\"b\":null}]},\"parameters\":{}}",
        UNKNOWN_VALUE("[[[[[[[[[[[[[[1]]]]]]]]]]]]]]"),
        UNKNOWN_VALUE("\"\\u00e4\\ud83d\\ude00\\n\\/\\\"\""),
        UNKNOWN_VALUE("[true,false,null,-0,0.5,1e5,-1E-5,123456789012345678901234567890]"),
        UNKNOWN_VALUE("\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""),
        VALUES("{\"columns\":{\"x\":[1.0,2]},\"periodNanoseconds\":5}"),
        VALUES("{\"columns\":{\"x\":[1.0]}}"),
        VALUES("{\"columns\":{\"x\":[1.0,2],\"y\":[3,4]},\"timestampsNanoseconds\":[1000,1001]}"),
        READING(""),
        READING(",\"label\":null,\"orientation\":\"normal\""),
    };
    static const char *const bad[] = {
        "", " ", "[]", "1", "null", "\"x\"", "{", "}", "{\"parameters\"}", "{\"parameters\":}", "{\"parameters\":{}", "{} {}", "{}x",
        "{\"parameters\":[]}", "{\"parameters\":1}", "{\"error\":1}", "{\"error\":{}}", "{\"continues\":1}", "{\"continues\":null}",
        "{\"error\":\"a.b.C\",\"continues\":true}", "{\"parameters\":{},}", "{,}", "{\"parameters\":{},\"parameters\":{}}",
        "{parameters:{}}", "{'parameters':{}}",
        UNKNOWN_VALUE("[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]"), UNKNOWN_VALUE("[1,]"), UNKNOWN_VALUE("[1 2]"), UNKNOWN_VALUE("[,1]"),
        UNKNOWN_VALUE("{\"a\":1,\"a\":2}"), UNKNOWN_VALUE("{\"a\":1,\"\\u0061\":2}"), UNKNOWN_VALUE("{\"a\" 1}"),
        "{\"parameters\":{\"tomorrow\":1,\"other\":2,\"tomorrow\":1}}",
        UNKNOWN_VALUE("01"), UNKNOWN_VALUE("-"), UNKNOWN_VALUE("+1"), UNKNOWN_VALUE("1."), UNKNOWN_VALUE(".5"), UNKNOWN_VALUE("1e"),
        UNKNOWN_VALUE("1e+"), UNKNOWN_VALUE("1e999"), UNKNOWN_VALUE("-1e999"), UNKNOWN_VALUE("NaN"), UNKNOWN_VALUE("Infinity"),
        UNKNOWN_VALUE("0x10"), UNKNOWN_VALUE("tru"), UNKNOWN_VALUE("nul"), UNKNOWN_VALUE("True"), UNKNOWN_VALUE("truex"),
        UNKNOWN_VALUE("\"\n\""), UNKNOWN_VALUE("\"\\x\""), UNKNOWN_VALUE("\"\\u12\""), UNKNOWN_VALUE("\"\\u12g4\""),
        UNKNOWN_VALUE("\"\\ud800\""), UNKNOWN_VALUE("\"\\udc00\""), UNKNOWN_VALUE("\"\\ud800\\u0041\""), UNKNOWN_VALUE("\"\\u0000\""),
        UNKNOWN_VALUE("\"\xff\""), UNKNOWN_VALUE("\"\xc0\x80\""), UNKNOWN_VALUE("\"\xed\xa0\x80\""), UNKNOWN_VALUE("\"\xf4\x90\x80\x80\""),
        UNKNOWN_VALUE("\"\xe2\x82\""), UNKNOWN_VALUE("\"\xc3"), "{\"parameters\":{\"tomorrow\":\"", "{\"parameters\":{\"tomorrow\":\"\\",
        "\xef\xbb\xbf{}",
        "{\"parameters\":{\"revision\":1.0}}", "{\"parameters\":{\"revision\":9223372036854775808}}", "{\"parameters\":{\"revision\":\"1\"}}",
        "{\"parameters\":{\"readings\":{}}}", "{\"parameters\":{\"readings\":[{}]}}", "{\"parameters\":{\"readings\":[null]}}",
        "{\"parameters\":{\"grants\":[{\"resource\":\"r\",\"intervalNanoseconds\":-5,\"batchNanoseconds\":0}]}}",
        READING(",\"sequence\":2"), READING(",\"location\":{}"), READING(",\"location\":{\"fix\":\"3d\",\"latitudeDegrees\":\"1\"}"),
        READING(",\"orientation\":5"),
        VALUES("{}"), VALUES("{\"columns\":{}}"), VALUES("{\"columns\":{\"x\":[]}}"), VALUES("{\"columns\":{\"x\":[1],\"y\":[1,2]}}"),
        VALUES("{\"columns\":{\"x\":[1],\"x\":[2]}}"), VALUES("{\"columns\":{\"x\":[null]}}"), VALUES("{\"columns\":{\"x\":[\"1\"]}}"),
        VALUES("{\"columns\":{\"x\":[1,2]},\"timestampsNanoseconds\":[1]}"), VALUES("{\"columns\":{\"x\":[1]},\"timestampsNanoseconds\":[1.5]}"),
        VALUES("{\"columns\":{\"x\":[1,2,3]},\"periodNanoseconds\":4611686018427387904}"), VALUES("{\"columns\":{\"x\":[1,2]},\"periodNanoseconds\":-1}"),
        VALUES("{\"packed\":{\"x\":\"AAAA\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAAA=\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAA===\"}}"),
        VALUES("{\"packed\":{\"x\":\"AAAA*A==\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAAB==\"}}"), VALUES("{\"packed\":{\"x\":\"AACAfw==\"}}"),
        VALUES("{\"packed\":{\"x\":\"AADAfw==\"}}"), VALUES("{\"packed\":{\"x\":\"====AAAA\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAAA==AAAAAA==\"}}"),
        VALUES("{\"packed\":{\"x\":\"AAAAAA==\",\"y\":\"AAAAAAAAAAA=\"}}"), VALUES("{\"packed\":{\"x\":\"AAAAAAAAAAA=\"},\"packedStepsNanoseconds\":\"\"}"),
        VALUES("{\"packed\":{\"x\":\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}}"),
        READING(",\"aligned\":[{\"resource\":\"b\",\"alignment\":\"exact\",\"columns\":{\"x\":[1,2]}}]"),
    };
    struct reply reply;
    size_t i;
    test_name = "what is a reply";
    for (i = 0; i < COUNT_OF(good); i++) {
        if (!read_as_reply(good[i], &reply)) printf("  refused (%s): %s\n", test_fault, good[i]);
        CHECK(read_as_reply(good[i], &reply));
    }
    for (i = 0; i < COUNT_OF(bad); i++) {
        if (read_as_reply(bad[i], &reply)) printf("  not refused: %s\n", bad[i]);
        CHECK(!read_as_reply(bad[i], &reply));
    }
}

static double one_number(const char *text) {
    char message[200];
    struct reply reply;
    (void)snprintf(message, sizeof message, VALUES("{\"columns\":{\"x\":[%s]}}"), text);
    if (!read_as_reply(message, &reply)) return NAN;
    return ((const struct sb_reading *)reply.readings.items)->columns[0].doubles[0];
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void test_numbers_are_correctly_rounded(void) {
    static const char *const texts[] = {
        "0", "-0.0", "1", "9007199254740993", "9007199254740992.0", "0.1", "1e22", "1e23", "1e-22", "1e-23", "123456789012345678",
        "52.474188139199995", "13.400954116099996", "2.2250738585072011e-308", "4.9e-324", "1e-400", "1.7976931348623157e308",
        "0.000000000000000000000000000000000000000000001", "179769313486231570000000000000000000000e270", "18446744073709551615",
        "18446744073709551616", "0.30000000000000004", "3.14159265358979323846264338327950288419716939937510",
    };
    char text[64];
    double expected;
    size_t i;
    int round;
    test_name = "numbers are correctly rounded";
    for (i = 0; i < COUNT_OF(texts); i++) {
        double value = one_number(texts[i]);
        expected = strtod(texts[i], NULL);
        if (memcmp(&expected, &value, sizeof value) != 0) printf("  %s\n", texts[i]);
        CHECK(memcmp(&expected, &value, sizeof value) == 0);
    }
    for (round = 0; round < 20000; round++) {
        int digits = (int)(random_bits() % 19);
        double value = ((double)(int64_t)random_bits()) / 1e18 * pow(10, (double)(random_bits() % 40) - 20);
        (void)snprintf(text, sizeof text, round % 2 ? "%.*g" : "%.*e", digits, value);
        expected = strtod(text, NULL);
        value = one_number(text);
        if (memcmp(&expected, &value, sizeof value) != 0) printf("  %s\n", text);
        CHECK(memcmp(&expected, &value, sizeof value) == 0);
    }
}

/* ---- Packed columns */

static void base64(const unsigned char *bytes, size_t count, char *into) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t i;
    for (i = 0; i < count; i += 3) {
        unsigned group = (unsigned)bytes[i] << 16 | (i + 1 < count ? (unsigned)bytes[i + 1] << 8 : 0) | (i + 2 < count ? bytes[i + 2] : 0);
        *into++ = digits[group >> 18];
        *into++ = digits[group >> 12 & 63];
        *into++ = i + 1 < count ? digits[group >> 6 & 63] : '=';
        *into++ = i + 2 < count ? digits[group & 63] : '=';
    }
    *into = 0;
}

/* As on the wire: the low byte first, whatever the order of the host is. */
static void put_word(unsigned char *into, uint32_t word) {
    int i;
    for (i = 0; i < 4; i++) into[i] = (unsigned char)(word >> 8 * i);
}

static void test_packed_columns(void) {
    static unsigned char bytes[4 * 100], step_bytes[4 * 100];
    static float values[100];
    static char text[1000], message[4000];
    struct reply reply;
    size_t count, shift, i;
    test_name = "packed columns are decoded at any address";
    for (count = 1; count <= 100; count++) {
        for (shift = 0; shift < 4; shift++) {
            const struct sb_reading *reading;
            uint32_t steps[100];
            int64_t stamp = 1000;
            for (i = 0; i < count; i++) {
                uint32_t word;
                values[i] = (float)((double)(random_bits() % 2000000) / 1000 - 1000);
                memcpy(&word, &values[i], 4);
                put_word(bytes + 4 * i, word);
                steps[i] = (uint32_t)random_bits();
                put_word(step_bytes + 4 * i, steps[i]);
            }
            base64(bytes, 4 * count, text);
            (void)snprintf(message, sizeof message, VALUES("{%.*s\"packed\":{\"x\":\"%s\",\"y\":\"%s\"}"), (int)shift, "    ", text, text);
            message[strlen(message) - 4] = 0;
            base64(step_bytes, 4 * (count - 1), text);
            (void)snprintf(message + strlen(message), 1200, ",\"packedStepsNanoseconds\":\"%s\"}}]}}", text);
            CHECK(read_as_reply(message, &reply));
            if (test_fault) {
                printf("  %s: %s\n", test_fault, message);
                continue;
            }
            reading = (const struct sb_reading *)reply.readings.items;
            CHECK(reading->count == count && reading->column_count == 2);
            CHECK(((uintptr_t)reading->columns[1].floats & 3) == 0);
            CHECK(memcmp(reading->columns[0].floats, values, 4 * count) == 0);
            CHECK(memcmp(reading->columns[1].floats, values, 4 * count) == 0);
            CHECK(strcmp(reading->columns[1].name, "y") == 0);
            for (i = 0; i < count; i++) {
                CHECK(sb_time_ns(reading, i) == stamp);
                stamp += steps[i];
            }
        }
    }
    /* A slash may be escaped: few do it. */
    CHECK(read_as_reply(VALUES("{\"packed\":{\"x\":\"AA\\/AQA==\"}}"), &reply));
}

static void test_all_fields_of_a_location(void) {
    struct reply reply;
    char message[4000] = READING(",\"location\":{\"fix\":\"2d\"");
    const struct sb_location *location;
    size_t i;
    test_name = "each field of a location has its place";
    message[strlen(message) - 4] = 0;
    for (i = 0; i < COUNT_OF(location_fields); i++) {
        if (location_fields[i].form == NUMBER || location_fields[i].form == INTEGER)
            (void)snprintf(message + strlen(message), 100, location_fields[i].form == NUMBER ? ",\"%s\":%d.5" : ",\"%s\":%d",
                location_fields[i].name, (int)i);
    }
    strcat(message, ",\"status\":\"rtkFixed\",\"satellites\":[{\"prn\":7,\"used\":true,\"system\":\"gps\",\"azimuthDegrees\":1.5},{\"prn\":9,\"used\":false}]}}]}}");
    CHECK(read_as_reply(message, &reply));
    if (test_fault) return;
    location = ((const struct sb_reading *)reply.readings.items)->location;
    CHECK(location->fix == SB_FIX_2D && location->utc_microseconds == 1);
    for (i = 0; i < COUNT_OF(location_fields); i++) {
        const void *place = (const char *)location + location_fields[i].offset - offsetof(struct location_form, location);
        double number;
        int64_t integer;
        if (location_fields[i].form == NUMBER) {
            memcpy(&number, place, sizeof number);
            CHECK(fabs(number - ((double)i + 0.5)) < 1e-9);
        }
        if (location_fields[i].form == INTEGER) {
            memcpy(&integer, place, sizeof integer);
            CHECK(integer == (int64_t)i);
        }
    }
    CHECK(location->status && strcmp(location->status, "rtkFixed") == 0);
    CHECK(location->satellite_count == 2 && location->satellites[0].prn == 7 && location->satellites[0].used);
    CHECK(strcmp(location->satellites[0].system, "gps") == 0 && !location->satellites[1].system);
    CHECK(isnan(location->satellites[1].azimuth_degrees) && location->satellites[1].system_number == SB_UNKNOWN);
    CHECK(read_as_reply(READING(",\"location\":{\"fix\":\"none\"}"), &reply));
    location = ((const struct sb_reading *)reply.readings.items)->location;
    CHECK(!location->status && location->correction_station == SB_UNKNOWN && isnan(location->heading_degrees));
    CHECK(isnan(location->latitude_degrees) && location->utc_microseconds == SB_UNKNOWN && location->satellite_count == 0);
}
