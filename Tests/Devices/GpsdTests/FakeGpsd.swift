import Foundation
import Glibc

/// A scripted gpsd on 127.0.0.1: a thread that accepts one connection after the other and plays a script to each.
final class FakeGpsd: Sendable {
    static let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"

    /// A step of a script.
    enum Step: Sendable {
        case send(String)
        /// Waits for this many lines from the client.
        case receiveLines(Int)
        /// Waits until `proceed` is called once more.
        case waitForTest
        /// Closes so that the kernel sends a reset.
        case reset
        /// Waits until the client closes.
        case waitForEnd
    }

    let port: UInt16
    private let listener: Int32
    private let turn = DispatchSemaphore(value: 0)
    private let received = Shared<[String]>([])

    /// Listens on a port of its own or on a former one, and plays each script to one connection.
    init(port wanted: UInt16 = 0, _ scripts: [Step]...) throws {
        (listener, port) = try Loopback.listen(port: wanted)
        let thread = Thread { [listener, turn, received] in
            for script in scripts {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Self.play(script, on: connection, turn, received)
                close(connection)
            }
            close(listener)
        }
        thread.start()
    }

    /// Lets a script that waits for the test continue.
    func proceed() { turn.signal() }

    /// The lines that clients sent.
    var receivedLines: [String] { received.value }

    private static func play(
        _ script: [Step], on connection: Int32, _ turn: DispatchSemaphore, _ received: Shared<[String]>
    ) {
        for step in script {
            switch step {
            case .send(let text): send(Array(text.utf8), on: connection)
            case .receiveLines(let count):
                for _ in 0..<count {
                    guard let line = readLine(connection) else { return }
                    received.change { $0.append(line) }
                }
            case .waitForTest: turn.wait()
            case .reset:
                var off = linger(l_onoff: 1, l_linger: 0)
                unsafe setsockopt(connection, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
                return
            case .waitForEnd:
                while let line = readLine(connection) { received.change { $0.append(line) } }
            }
        }
    }

    private static func send(_ bytes: [UInt8], on connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    private static func readLine(_ connection: Int32) -> String? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard unsafe read(connection, &byte, 1) == 1 else { return nil }
            if byte == 10 { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}
