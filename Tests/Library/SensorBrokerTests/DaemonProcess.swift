import BrokerClient
import ChildPrograms
import Foundation

/// A `sensorbrokerd --mock` of this build, in a runtime directory of its own; it ends with this object.
final class DaemonProcess {
    let directory: URL
    private var process: ChildProgram?

    /// Its socket for clients.
    var socket: String { directory.appending(path: "io.sensorbroker.Broker").path }
    /// Its socket for the administrator.
    var admin: String { directory.appending(path: "io.sensorbroker.Admin").path }

    /// Starts it, or only names the place where it will be.
    init(isStarted: Bool = true) throws {
        directory = URL(fileURLWithPath: "/tmp/sb-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if isStarted { try start() }
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts it, and returns when it listens; with a scenario, it has the resources of that only; the configuration is in force from
    /// here on.
    func start(scenario: String? = nil, configuration: String? = nil) throws {
        try? FileManager.default.removeItem(atPath: socket)
        var mock = "--mock"
        if let scenario {
            let file = directory.appending(path: "test.scenario")
            try scenario.write(to: file, atomically: true, encoding: .utf8)
            mock += "=\(file.path)"
        }
        let file = directory.appending(path: "test.conf")
        if let configuration { try configuration.write(to: file, atomically: true, encoding: .utf8) }
        let isConfigured = FileManager.default.fileExists(atPath: file.path)
        process = try ChildProgram(
            [Self.program, mock, "--runtime-directory", directory.path]
                + (isConfigured ? ["--config", file.path] : []),
            errors: nil)
        for _ in 0..<30_000 {
            if listens { return }
            usleep(10_000)
        }
    }

    /// Whether it accepts connections; its socket is at its path a moment before.
    private var listens: Bool {
        do { _ = try BrokerConnection(path: socket, patienceNanoseconds: 300_000_000_000) } catch { return false }
        return true
    }

    /// Ends it in order.
    func stop() {
        process?.terminate()
        process?.waitUntilExit()
    }

    /// Stops it without an end, as a debugger would, or has it continue.
    func pause(_ isPaused: Bool) { process?.signal(isPaused ? SIGSTOP : SIGCONT) }

    /// Ends it at once, as a crash would.
    func kill() {
        process?.kill()
        process?.waitUntilExit()
    }

    private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "sensorbrokerd").path
}
