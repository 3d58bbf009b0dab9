/*
 * certification SOCKET: a client of org.varlink.certification over the connections and the reader of the library. Each method is
 * called with what the one before returned; the server compares the calls to the letter.
 */

#include "../sensorbroker.c"

#define CERTIFICATION "org.varlink.certification."

static locale_t locale;

static void give_up(const char *what, const char *message) {
    printf("Certification failed: %s: %s\n", what, message);
    exit(1);
}

/* The members of a reply's parameters as they were written, without the client's name, or only that; and whether it continues. */
static bool members(const char *message, bool name_only, struct text *into) {
    static struct reader reader;
    static struct arena arena;
    char *copy = strdup(message), *key;
    bool continues = false, first = true;
    memset(&reader, 0, sizeof reader);
    reader.at = copy;
    reader.arena = &arena;
    reader.locale = locale;
    into->length = 0;
    text_plain(into, "");
    if (!expect(&reader, '{')) give_up("no object", message);
    do {
        if (!read_key(&reader, &key)) give_up("no key", message);
        if (strcmp(key, "error") == 0) give_up("an error", message);
        if (strcmp(key, "continues") == 0) continues = take(&reader, 't');
        if (strcmp(key, "parameters") != 0) {
            reader.at -= continues;
            if (!skip_value(&reader)) give_up("not a value", message);
            continue;
        }
        if (!expect(&reader, '{')) give_up("no parameters", message);
        if (take(&reader, '}')) continue;
        do {
            char *start = reader.at;
            if (!read_key(&reader, &key) || !skip_value(&reader)) give_up("not a member", message);
            if ((strcmp(key, "client_id") == 0) != name_only) continue;
            if (!first) text_plain(into, ",");
            first = false;
            /* As long as it was, but without the changes that the reader made in the copy. */
            text_add(into, message + (start - copy), (size_t)(reader.at - start));
        } while (take(&reader, ','));
        if (!expect(&reader, '}')) give_up("no end", message);
    } while (take(&reader, ','));
    free(copy);
    return continues;
}

/* Waits for the next reply. */
static char *await(struct wire *wire) {
    char *message;
    int found;
    while ((found = wire_message(wire, &message)) == 0) {
        struct pollfd ready;
        ready.fd = wire->fd;
        ready.events = POLLIN;
        if (poll(&ready, 1, 300000) <= 0 || wire_receive(wire) < 0) give_up("no reply", strerror(errno));
    }
    if (found < 0) give_up("too long", "");
    return message;
}

/* Adds a call with the client's name and what the call before returned. */
static void add_call(struct text *text, const char *method, const char *name, const char *rest, const char *flag) {
    if (text->length) text_add(text, "", 1);
    text_plain(text, "{\"method\":\"" CERTIFICATION);
    text_plain(text, method);
    text_plain(text, "\"");
    if (*name) {
        text_plain(text, ",\"parameters\":{");
        text_plain(text, name);
        if (*rest) text_plain(text, ",");
        text_plain(text, rest);
        text_plain(text, "}");
    }
    text_plain(text, flag);
    text_plain(text, "}");
}

/* Connects and sends calls: each has a connection of its own, as in the library; the server knows the client by its name. */
static void make_calls(struct wire *wire, const char *path, struct text *text) {
    int code;
    wire_close(wire);
    code = wire_open(wire, path, text);
    if (code) give_up(path, strerror(code));
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

static void call(struct wire *wire, const char *path, const char *method, const char *name, const char *rest, const char *flag) {
    struct text text = {NULL, 0, 0, false};
    add_call(&text, method, name, rest, flag);
    make_calls(wire, path, &text);
}

int main(int count, char **words) {
    struct wire wire;
    struct text name = {NULL, 0, 0, false}, rest = {NULL, 0, 0, false}, strings = {NULL, 0, 0, false}, calls = {NULL, 0, 0, false};
    char method[16];
    char *message;
    int number;
    if (count != 2) {
        fprintf(stderr, "usage: certification SOCKET\n");
        return 64;
    }
    memset(&wire, 0, sizeof wire);
    wire.fd = wire.epoll = -1;
    locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    call(&wire, words[1], "Start", "", "", "");
    (void)members(await(&wire), true, &name);
    text_plain(&rest, "");
    for (number = 1; number <= 9; number++) {
        (void)snprintf(method, sizeof method, "Test%02d", number);
        call(&wire, words[1], method, name.bytes, rest.bytes, "");
        (void)members(await(&wire), false, &rest);
    }
    call(&wire, words[1], "Test10", name.bytes, rest.bytes, ",\"more\":true");
    text_plain(&strings, "\"last_more_replies\":[");
    for (number = 0;; number++) {
        bool continues;
        message = await(&wire);
        continues = members(message, false, &rest);
        if (number) text_plain(&strings, ",");
        text_plain(&strings, strchr(rest.bytes, ':') + 1);
        if (!continues) break;
    }
    text_plain(&strings, "]");
    /* It has no reply: the only one is that to the call behind it. */
    add_call(&calls, "Test11", name.bytes, strings.bytes, ",\"oneway\":true");
    add_call(&calls, "End", name.bytes, "", "");
    make_calls(&wire, words[1], &calls);
    message = await(&wire);
    if (!strstr(message, "\"all_ok\":true") && !strstr(message, "\"all_ok\": true")) give_up("End", message);
    printf("Certification passed\n");
    wire_free(&wire);
    free(name.bytes);
    free(rest.bytes);
    free(strings.bytes);
    freelocale(locale);
    return 0;
}
