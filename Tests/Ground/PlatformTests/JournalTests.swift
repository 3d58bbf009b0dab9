import Foundation
import Glibc
import TestTools
import Testing

@testable import Platform

@Suite("The journal")
struct JournalTests {
    @Test("gets the beginning of a long line, and is informed that it is one", arguments: ["x", "\u{1B}", "ü"])
    func long(character: String) {
        let entry = JournalEntry(
            priority: .error, text: String(repeating: character, count: 2_000), event: .serving, fields: [:])
        let message = entry.datagram.prefix { $0 != "\n" }.dropFirst("MESSAGE=".count)
        #expect(message.unicodeScalars.count == 961 && message.hasSuffix("…"))
    }

    @Test("gets an event at its socket, as one datagram")
    func event() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/socket"
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let bound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)

        Journal(socket: path).write(.notice, "serving", .serving, [.resource: "location"])

        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
        #expect(text.hasPrefix("MESSAGE=serving\n"))
        #expect(text.contains("MESSAGE_ID=\(JournalEvent.serving.rawValue)\n"))
        #expect(text.hasSuffix("SENSORBROKER_RESOURCE=location\n"))
    }

    @Test("has every event in the catalog, and no others")
    func catalog() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../systemd/sensorbroker.catalog")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let explained = lines.filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
        #expect(Set(explained) == Set(JournalEvent.allCases.map(\.rawValue)))
        #expect(explained.count == JournalEvent.allCases.count)
        for word in lines.joined(separator: " ").split(separator: "@").filter({ $0.hasPrefix("SENSORBROKER_") }) {
            #expect(JournalField(rawValue: String(word)) != nil, "\(word)")
        }
    }
}
