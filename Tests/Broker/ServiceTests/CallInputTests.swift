import Admission
import Platform
import Readings
import Testing
import Varlink

@testable import Service

@Suite("The bytes that a client has sent") struct CallInputTests {
    private let now = BootTime(nanoseconds: 1_000_000_000)
    private func bytes(_ method: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.call(Call(method))
        return writer.bytes
    }

    @Test("are read only if there are some, and are split into calls; an incomplete call is kept")
    func calls() throws {
        let client = try PairedClient()
        let socket = UnixSocket(Descriptor(owning: client.near))
        var input = CallInput()
        var buffer = [UInt8](repeating: 0, count: 1_024)
        let call = bytes("io.sensorbroker.Broker.ListResources")
        let message = call + call + call.dropLast(3)
        #expect(client.far.send(message.span) == .sent)
        // epoll has reported nothing yet.
        let isOpen1 = input.receive(from: socket, through: &buffer)
        #expect(isOpen1)
        let nothing = try input.next() == nil
        #expect(nothing)
        input.setReadable()
        let isOpen2 = input.receive(from: socket, through: &buffer)
        #expect(isOpen2)
        let (first, second, third) = (try input.next(), try input.next(), try input.next())
        #expect(first?.bytes == call.count - 1)
        #expect(second?.call.method == "ListResources")
        #expect(third == nil)
        let since = [input.awaitRest(isNew: true, now: now), input.awaitRest(isNew: false, now: now + 5)]
        #expect(since == [now, now])
        let rest = input.rest
        #expect(rest == Array(call.dropLast(3)))
        let end = Array(call.suffix(3))
        #expect(client.far.send(end.span) == .sent)
        input.setReadable()
        let isOpen3 = input.receive(from: socket, through: &buffer)
        #expect(isOpen3)
        let last = try input.next()
        #expect(last != nil)
        let left = [input.awaitRest(isNew: true, now: now), input.unfinishedSince]
        #expect(left == [nil, nil])
        let hasEnded = input.hasEnded
        #expect(!hasEnded)
    }

    @Test("are charged in steps beyond a free amount, until the call is complete")
    func paid() throws {
        let quota = Quota(Quota.Terms(total: 1 << 20, perUser: 1 << 20))
        var input = CallInput()
        input.resume([UInt8](repeating: 0x20, count: Limits.leastCallBytes))
        let isFree = input.pay { quota.charge($0, to: 1) }
        #expect(isFree && quota.charged == 0)
        input.resume([0x20])
        let isPaid = input.pay { quota.charge($0, to: 1) }
        #expect(isPaid && quota.charged == Limits.leastCallBytes)
        input.resume([UInt8](repeating: 0x20, count: 2 * Limits.leastCallBytes))
        let isRefused = !input.pay { _ in nil }
        #expect(isRefused && quota.charged == 0)
        let isPaidAgain = input.pay { quota.charge($0, to: 1) }
        #expect(isPaidAgain && quota.charged == 3 * Limits.leastCallBytes)
        input.resume([0])
        var isMalformed = false
        do throws(MalformedInput) { _ = try input.next() } catch { isMalformed = true }
        #expect(isMalformed)
        let unfinished = input.awaitRest(isNew: true, now: now)
        #expect(unfinished == nil && quota.charged == 0)
    }
}
