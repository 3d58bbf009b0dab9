internal import Glibc
internal import Platform

/// The programs of a desktop on this host that want its sensors and its location.
enum DesktopSurvey {
    /// Where iio-sensor-proxy is installed, by distribution.
    private static let proxies = [
        "/usr/libexec/iio-sensor-proxy", "/usr/sbin/iio-sensor-proxy", "/usr/lib/iio-sensor-proxy",
    ]
    private static let mostBytes = 1 << 16

    /// The desktop's services as they are at present. `access(2)`
    static func view() -> DesktopView {
        DesktopView(
            hasProxy: proxies.contains { unsafe access($0, X_OK) == 0 },
            hasSocket: unsafe access(DesktopView.socket, F_OK) == 0,
            geoclue: text(at: DesktopView.configuration).map { GeoclueView([$0] + dropIns) })
    }

    /// What is read after the configuration, by geoclue 2.7 and later.
    private static var dropIns: [String] {
        let directory = DesktopView.dropIns
        return Directory.names(in: directory).filter { $0.hasSuffix(".conf") }.compactMap { text(at: directory + $0) }
    }

    private static func text(at path: String) -> String? {
        (try? WholeFile.read(path, maximumBytes: mostBytes)).map { String(decoding: $0, as: UTF8.self) }
    }
}

struct DesktopView: Equatable {
    static let socket = "/run/sensorbroker/nmea.sock"
    /// geoclue's configuration file, and the directory of those that change it.
    static let configuration = "/etc/geoclue/geoclue.conf"
    static let dropIns = "/etc/geoclue/conf.d/"

    /// Whether iio-sensor-proxy is installed, which wants the sensors for itself.
    var hasProxy = false
    /// Whether locations are served as NMEA.
    var hasSocket = false
    /// geoclue's configuration; nil: geoclue is not installed.
    var geoclue: GeoclueView?
}

/// What geoclue's configuration has about NMEA.
struct GeoclueView: Equatable {
    /// Whether NMEA is read.
    var isEnabled = false
    /// From which socket.
    var socket: String?

    init() {}

    /// Reads the section `[network-nmea]` of files; of a key that comes twice, the last one counts, as in geoclue.
    init(_ texts: [String]) { for text in texts { read(text) } }

    private mutating func read(_ text: String) {
        var section = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.hasPrefix("["), line.hasSuffix("]") { section = String(line) }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard section == "[network-nmea]", parts.count == 2 else { continue }
            switch parts[0].trimmed {
            case "enable": isEnabled = ["true", "1"].contains(parts[1].trimmed)
            case "nmea-socket": socket = String(parts[1].trimmed)
            default: break
            }
        }
    }
}

extension Diagnosis {
    var rival: Finding? {
        guard view.desktop.hasProxy else { return nil }
        return Finding(
            "iio-sensor-proxy", .note, "is installed, and wants sensors for itself while a program has claimed them",
            remedy: "install the package sensorbroker-desktop, which takes its place")
    }

    private var restartOfGeoclue: String { hasSystemd ? "sudo systemctl restart geoclue" : "restart geoclue" }

    /// The program that locates the host for others.
    var geoclue: Finding? {
        guard let geoclue = view.desktop.geoclue else { return nil }
        let isOurs = geoclue.isEnabled && geoclue.socket == DesktopView.socket
        switch (isOurs, view.desktop.hasSocket) {
        case (true, true): return Finding("geoclue", .ok, "reads the location from \(DesktopView.socket)")
        case (true, false):
            return Finding(
                "geoclue", .bad, "is to read the location from \(DesktopView.socket), where nothing listens",
                remedy: "install the package sensorbroker-desktop; then: "
                    + "sudo systemctl enable --now sensorbroker-nmea.socket && \(restartOfGeoclue)")
        case (false, true):
            return Finding(
                "geoclue", .note, "does not read the broker's location",
                remedy: "in \(DesktopView.configuration), section [network-nmea], set enable=true and "
                    + "nmea-socket=\(DesktopView.socket); then: \(restartOfGeoclue)")
        case (false, false): return nil
        }
    }
}
