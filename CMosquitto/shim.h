// libmosquitto, driven by our own poll loop: one object a connection. Its numbers arrive as plain ints.
#ifndef SENSORBROKER_CMOSQUITTO_H
#define SENSORBROKER_CMOSQUITTO_H

#include <errno.h>
#include <mosquitto.h>
#include <signal.h>
#include <sys/time.h>
// Part of the other header since version 2.1, which warns of it
#if !__has_include(<mosquitto/mqtt_protocol.h>)
#include <mqtt_protocol.h>
#endif

static const int cmosquitto_success = MOSQ_ERR_SUCCESS;
static const int cmosquitto_errno = MOSQ_ERR_ERRNO;
static const int cmosquitto_no_name = MOSQ_ERR_EAI;
static const int cmosquitto_keepalive = MOSQ_ERR_KEEPALIVE;
static const int cmosquitto_tls = MOSQ_ERR_TLS;
static const int cmosquitto_malformed = MOSQ_ERR_MALFORMED_PACKET;
static const int cmosquitto_oversize = MOSQ_ERR_OVERSIZE_PACKET;
static const int cmosquitto_payload_size = MOSQ_ERR_PAYLOAD_SIZE;
static const int cmosquitto_protocol = MOSQ_OPT_PROTOCOL_VERSION;
static const int cmosquitto_no_delay = MOSQ_OPT_TCP_NODELAY;
static const int cmosquitto_log_error = MOSQ_LOG_ERR;
static const int cmosquitto_no_local = MQTT_SUB_OPT_NO_LOCAL;

// Limits that the server announces in its CONNACK; 0 if it does not
static inline int cmosquitto_receive_maximum(const mosquitto_property *properties) {
    uint16_t value = 0;
    return mosquitto_property_read_int16(properties, MQTT_PROP_RECEIVE_MAXIMUM, &value, false) ? value : 0;
}

static inline uint32_t cmosquitto_packet_maximum(const mosquitto_property *properties) {
    uint32_t value = 0;
    return mosquitto_property_read_int32(properties, MQTT_PROP_MAXIMUM_PACKET_SIZE, &value, false) ? value : 0;
}

// -1 if it does not say
static inline int cmosquitto_keep_alive(const mosquitto_property *properties) {
    uint16_t value = 0;
    return mosquitto_property_read_int16(properties, MQTT_PROP_SERVER_KEEP_ALIVE, &value, false) ? value : -1;
}

// 2 if it does not limit it
static inline int cmosquitto_maximum_qos(const mosquitto_property *properties) {
    uint8_t value = 2;
    return mosquitto_property_read_byte(properties, MQTT_PROP_MAXIMUM_QOS, &value, false) ? value : 2;
}

static inline bool cmosquitto_retains(const mosquitto_property *properties) {
    uint8_t value = 1;
    return !mosquitto_property_read_byte(properties, MQTT_PROP_RETAIN_AVAILABLE, &value, false) || value;
}

static inline void cmosquitto_go_on(int signal) { (void)signal; }

// Interrupts what waits each so many seconds; 0: no more. connect(2) is not restarted then, as by SA_RESTART
static inline void cmosquitto_interrupt(int seconds) {
    struct sigaction action = { .sa_handler = cmosquitto_go_on };
    struct itimerval interval = { { seconds, 0 }, { seconds, 0 } };
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &interval, NULL);
}

// Connects to the first address of a host that answers: the library tries one after the other, and goes on to the next only if
// connect(2) fails, for which the kernel takes two minutes. 0: without a session, and without a limit of what the server may send
static inline int cmosquitto_connect(struct mosquitto *handle, const char *host, int port, int patience, int keepalive,
                                     uint32_t session, uint32_t packet_maximum) {
    mosquitto_property *properties = NULL;
    int code = session ? mosquitto_property_add_int32(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, session) : 0;
    if (!code && packet_maximum) code = mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE, packet_maximum);
    cmosquitto_interrupt(patience);
    if (!code) code = mosquitto_connect_bind_v5(handle, host, port, keepalive, NULL, properties);
    int error = errno == EINTR ? ETIMEDOUT : errno;
    cmosquitto_interrupt(0);
    mosquitto_property_free_all(&properties);
    errno = error;
    return code;
}

// Ends a connection, and the session with it if there is one
static inline int cmosquitto_disconnect(struct mosquitto *handle, bool has_session) {
    mosquitto_property *properties = NULL;
    if (has_session) mosquitto_property_add_int32(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, 0);
    int code = mosquitto_disconnect_v5(handle, 0, properties);
    mosquitto_property_free_all(&properties);
    return code;
}

// Reads at least one packet if there is one; the library tells only by errno that there is none.
static inline int cmosquitto_read(struct mosquitto *handle, bool *is_dry) {
    errno = 0;
    int code = mosquitto_loop_read(handle, 1000);
    *is_dry = errno == EAGAIN || errno == EWOULDBLOCK;
    return code;
}

#endif
