import Spool
import Testing
import Varlink

@testable import sensorbroker_fleet

private let epoch = Identity(utcMicroseconds: 1_000_000_000, random: (0, 0))

@Suite struct LastMessagesTests {
    private typealias Mark = LastMessages.Mark

    /// A file as offsets: how long it is, and where the newest mark of each resource begins.
    private struct File {
        var messages = LastMessages()
        var length = 0
        var repeated = 0
        var places: [String: (number: UInt64, at: Int)] = [:]

        /// A message of so many bytes.
        mutating func append(_ resource: String, _ number: UInt64, bytes: Int) throws {
            let mark = Mark(resource: resource, epoch: epoch, number: number, stamp: Int64(number) * 10)
            length += bytes
            places[resource] = (number, length - RecordedLines.mark(mark).count)
            for line in messages.lines(after: mark, bytes: bytes).split(separator: 10) {
                guard case .object(let object) = try JSONReader.read(Array(line), limits: .replies),
                    case .object(let members)? = object["message"], case .string(let name)? = members["resource"]
                else { continue }
                #expect(members.integer("number") == places[name].map { Int64($0.number) }, "the newest one")
                #expect(members.integer("lastNanoseconds") == places[name].map { Int64($0.number) * 10 })
                places[name]?.at = length
                length += line.count + 1
                repeated += line.count + 1
            }
        }
    }

    @Test("the end of a file has the last message of each stream, however it is continued")
    func end() throws {
        var file = File()
        for number in 1...UInt64(2_000) {
            let isSilent = number % 500 > 60
            let bytes = number % 97 == 0 ? 3 << 20 : number % 11 == 0 ? 250_000 : 3_000
            try file.append(isSilent ? "fast" : "slow\(number % 60)", number, bytes: bytes)
            if number % 130 == 0 {
                file.messages = try continued(file)
            }
            #expect(file.places.values.allSatisfy { $0.at > file.length - RecordingPath.tailBytes }, "\(number)")
        }
        #expect(file.places.count == 61 && file.repeated < file.length / 50)
    }

    @Test("a host with more streams than there is room for does not fill the disk with marks")
    func hostile() throws {
        var file = File()
        let streams: UInt64 = 4_000
        for number in 1...streams + 5_000 {
            try file.append("a\(min(number, streams))", number, bytes: 300)
        }
        #expect(file.repeated < file.length * 3 / 4)
    }

    /// What another program has of it, as it was continued.
    private func continued(_ file: File) throws -> LastMessages {
        var messages = LastMessages()
        for (resource, place) in file.places.sorted(by: { $0.value.at < $1.value.at }) {
            let stamp = Int64(place.number) * 10
            let line = RecordedLines.mark(Mark(resource: resource, epoch: epoch, number: place.number, stamp: stamp))
            guard case .object(let object) = try JSONReader.read(line.dropLast(), limits: .replies) else { continue }
            let mark = messages.resume(object, end: place.at + line.count)
            #expect(mark?.number == place.number && messages.stamp(of: resource, in: epoch) == stamp)
        }
        return messages
    }
}
