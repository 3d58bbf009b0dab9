package import Configuration

extension FleetSettings: ConfigurableSettings {
    typealias Key = SettingKey<Self>

    /// All keys, in the order of the documentation.
    package static var table: SettingTable<Self> {
        SettingTable([
            SettingSection(
                "Server",
                """
                The server. Files are whole paths, or names of credentials of the unit
                (`LoadCredential=client.crt:/etc/sensorbroker/client.crt`).

                Files that are credentials may be readable by root alone:

                    # systemctl edit sensorbroker-mqtt
                    [Service]
                    LoadCredential=client.crt:/etc/sensorbroker/client.crt
                    LoadCredential=client.key:/etc/sensorbroker/client.key
                """, ofServer),
            SettingSection("Topics", "How topics begin: `PREFIX/HOST/RESOURCE`.", ofTopics),
            readings,
            SettingSection("Spool", "What is kept on the disk, for how long, and how it leaves.", ofSpool),
            SettingSection(
                "Link", "For links that cost: by the byte, by the day, or by each time that a radio wakes up.", ofLink),
            SettingSection("Control", "What messages of the server may change.", ofControl),
            SettingSection(
                "HomeAssistant", "The newest values for Home Assistant; what it misses is not reported.",
                [
                    Key(
                        "Discovery", \.homeAssistant, topic(levels: true),
                        """
                        The first part of the topics on which Home Assistant listens for what it may show, usually `homeassistant`.
                        Each axis of each resource is announced there, with its unit. Home Assistant gets the newest values only, at
                        most one a second of each resource, and nothing of it is a proof. What was announced stays on the server until
                        an empty retained message takes its place.
                        """, default: "nothing is announced", example: "homeassistant")
                ]),
            SettingSection(
                "OwnTracks", "The newest location for OwnTracks; what it misses is not reported.",
                [
                    Key(
                        "Topic", \.ownTracks, trackTopic,
                        """
                        Where the newest location goes, at most once a second and retained. `%m` and `%H` are as in `Host=`.
                        """, default: "none", example: "owntracks/fleet/%m")
                ]),
        ])
    }

    /// The section whose keys are the names of resources.
    private static var readings: SettingSection<Self> {
        let entries = SettingSection<Self>.NamedEntries(list: { $0.readings.map { ($0.resource, $0.text) } }) {
            (entry, settings) throws(SettingRefusal) in
            settings.readings.removeAll { $0.resource == entry.key }
            guard !entry.value.isEmpty else { return }
            settings.readings.append(try WantedReading(resource: entry.key, parsing: entry.value))
        }
        return SettingSection(
            "Readings",
            """
            Each key is a resource, as `sensorctl list` names it; its value is the interval of readings, and optionally for how long
            they are gathered into one message, and `mean` for the mean of each interval instead of its newest sample.

                location=1s
                accelerometer=10ms batch 1s priority low quota 20%
                pressure=1min mean

            An interval may also be a rate, such as `100Hz`; `0` is every sample. Faster than a few a second, a batch costs a fraction
            of the bytes. Out of range is moved into range, which the stream's grants report. At most \(mostReadings) resources.

            `priority high`, `normal` or `low` says what outlives what: when the spool is full, what has arrived goes first, then
            what has the lowest priority, and the oldest of that. Of what waits, the highest priority is sent first. With `quota` a
            resource takes at most this share of `MaxBytes=`, and then its own oldest goes. Each priority in use, and each resource
            with a quota, has files of its own in the spool, which the disk has to be asked for each `SyncSec=`. Priorities may be
            changed at any time, also while the spool holds messages.
            """, examples: ["location=1s", "accelerometer=10ms batch 1s priority low"], entries: entries)
    }

    /// The most resources under `[Readings]`.
    static let mostReadings = 64

    private static var ofServer: [Key] {
        let server = SettingForm(
            "`mqtts://HOST[:PORT]` with encryption, usually port 8883, or `mqtt://HOST[:PORT]` without it, usually port 1883",
            text: \.description
        ) { (text) throws(SettingRefusal) in try ServerAddress(parsing: text) }
        let user = SettingForm("a name", text: { $0 }) { (text) throws(SettingRefusal) -> String in text }
        return [
            Key(
                "Url", \.server, server, "Where it is.", default: "none, so it is required",
                example: "mqtts://broker.example:8883"),
            Key(
                "Certificate", \.certificate, file, "The client's certificate, for servers that ask for one.",
                default: "none", example: "client.crt"),
            Key("Key", \.key, file, "The key of that certificate.", default: "none", example: "client.key"),
            Key(
                "Authority", \.authority, file,
                """
                The certificates of those who may sign the server's certificate. The name in that must be the host in `Url=`.
                """, default: "the authorities of the host, `/etc/ssl/certs`",
                example: "/etc/sensorbroker/authority.crt"),
            Key("User", \.user, user, "The user at the server.", default: "none", example: "truck-0042"),
            Key(
                "PasswordFile", \.passwordFile, file,
                "A file whose first line is the user's password. It is read at each connection.", default: "none",
                example: "password"),
            Key(
                "Version", \.version, .oneOf,
                """
                The version of MQTT, and no other. A server of 3.1.1 cannot say that it does not allow a message: what it denies
                counts as arrived.
                """,
                default:
                    "`5`, or `3.1.1` for a server that refuses version 5, or that closes the connection instead of answering "
                    + "and accepts 3.1.1", example: "3.1.1"),
        ]
    }

    private static var ofTopics: [Key] {
        [
            Key(
                "Prefix", \.prefix, topic(levels: true), "The first part of all topics, which may have several levels."),
            Key(
                "Host", \.host, topic(levels: false),
                """
                The host's name in topics; `%m` is the machine id, `%H` the host name. Each host needs its own: a server allows one
                connection of a name.
                """),
        ]
    }

    private static var ofSpool: [Key] {
        let speed = SettingForm<Double?>(
            "`1` to `1000000`, or `max`",
            text: { $0.map { $0 == $0.rounded() ? String("\($0)".dropLast(2)) : "\($0)" } ?? "max" }
        ) { (text) throws(SettingRefusal) in
            if text == "max" { return nil }
            guard let speed = Double(text), speed >= 1, speed <= 1e6 else {
                throw SettingRefusal("write how many times faster than it was measured, from 1 to 1000000, or max")
            }
            return speed
        }
        return [
            Key(
                "MaxBytes", \.maximumBytes, .bytes,
                """
                The most that the spool takes of the disk; the oldest goes first, of the lowest `priority`, and is
                reported as lost. An hour of one location a second and an accelerometer at 100 Hz takes 4 MB without a connection.
                """),
            Key(
                "MaxAgeSec", \.maximumAge, .span(from: 1_000_000_000, endless: true),
                """
                What has not arrived after this time goes, and is reported as lost. How old something of a former boot is nobody knows if
                the clock followed no reference then, and does now: that stays. While it follows none, it may be ahead: the time for which
                the host was off does not count.
                """),
            Key(
                "SyncSec", \.sync, .span(from: 100_000_000, reason: "all after the last sync is lost in a power cut"),
                """
                How often the spool is written down for good, and for how long messages are gathered and compressed while there is no
                connection. A power cut loses at most this much. Shorter times wear a flash card more.
                """),
            Key(
                "KeepAcknowledgedSec", \.keepAcknowledged, .span(from: 0, endless: true),
                """
                For how long what has arrived is kept, so that a consumer can ask for it again. A server that is killed loses what it
                had acknowledged in its last half hour, if it is mosquitto with its defaults.
                """),
            Key(
                "BacklogSpeed", \.backlogSpeed, speed,
                """
                How fast what is left from a time without a connection is sent: so many seconds of it a second. A fast backlog into
                slow consumers makes some servers drop what they have acknowledged. What consumers ask for again leaves at the same
                speed.
                """),
            Key(
                "Order", \.order, .oneOf,
                """
                What leaves first. `live`: what is new goes first, what is left follows on topics of its own, which end in `/late`.
                `oldest`: all in the order of measurement, on one topic.
                """),
        ]
    }

    private static var ofLink: [Key] {
        let condition = SettingForm("a whole path, or `!` and a whole path", text: \.text) {
            (text) throws(SettingRefusal) in try PathCondition(parsing: text)
        }
        return [
            Key(
                "DailyBytes", \.dailyBytes, .bytes,
                """
                How many bytes of messages and topics may be sent in a day of UTC; what TLS, TCP and acknowledgements need comes on
                top. The budget grows with the day: what is left from before may use what the day has brought so far, what is new also
                what the next hour (`priority low`: half an hour) brings, and `priority high` all of the day. What waits stays in the
                spool, is compressed, and follows when there is something left, on the same day or another one;
                `systemctl status sensorbroker-mqtt` shows it. The status takes a twentieth at most, so with less than 15 MB a day it
                comes less often than each 30 seconds. What is spent is kept over restarts.
                """, default: "no bound", example: "20M"),
            Key(
                "BacklogWhenExists", \.backlogCondition, condition,
                """
                What is left from a time without a connection, and what consumers ask for again, is sent only while there is this file
                or folder, or with `!` before it, while there is none. A script of NetworkManager, ModemManager or ifupdown can make
                it; see the examples.
                """, default: "always", example: "/run/unmetered"),
            Key(
                "BundleSec", \.bundle,
                .span(
                    from: 1_000_000_000, to: 30_000_000_000,
                    reason: "the status reports the newest numbers each 30 s"),
                """
                While connected, messages leave together, each so often, so that a radio sleeps in between. Meanwhile they are
                gathered for `SyncSec=` and compressed, as without a connection: with both at 30 seconds, two resources each second
                take 20 wake-ups, 60 messages and 24 kB in ten minutes, instead of 600, 1224 and 309 kB. No longer than 30 seconds,
                since the status reports the newest numbers so often. The newest values for Home Assistant and OwnTracks do not
                wait.
                """, default: "messages leave as they come", example: "30s"),
        ]
    }

    private static var ofControl: [Key] {
        let interval = SettingForm("an interval, or a rate such as `10Hz`", text: \.description) {
            (text) throws(SettingRefusal) -> TimeSpan in
            do throws(TimeSpanError) { return try TimeSpan(parsingInterval: text) } catch {
                throw SettingRefusal(error.description)
            }
        }
        return [
            Key(
                "RemoteInterval", \.allowsRemoteInterval, .yesOrNo,
                """
                Whether messages on `PREFIX/HOST/RESOURCE/set` change the interval and the batch of RESOURCE, see
                sensorbroker-mqtt(8). They can make a stream so slow that it says next to nothing, so the server's access rules have
                to decide who may send them.
                """, example: "yes"),
            Key(
                "MinInterval", \.minimumInterval, interval,
                """
                The shortest interval that they may set, of any resource; more data costs money, energy and disk. `0` allows every
                sample.
                """, default: "the interval of the resource under `[Readings]`, so that they can only slow it down",
                example: "100ms"),
        ]
    }
}
