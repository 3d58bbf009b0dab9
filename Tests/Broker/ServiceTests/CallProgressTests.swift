import Platform
import Readings
import Testing
import Varlink

@testable import Service

@Suite("The progress of a client's calls") struct CallProgressTests {
    private final class Reply: LongReply {
        func writePortion(into writer: inout JSONWriter, now: BootTime) -> Bool { true }
    }

    @Test("goes from one call to the next, and a call that takes time keeps the next one in the kernel")
    func oneAtATime() {
        var progress = CallProgress()
        #expect(progress.takeChangeOfInterest(isBlocked: false, hasEnded: false) == nil)
        #expect(progress.begin() == true)
        #expect(progress.phase == .busy && !progress.beginWaiting())
        #expect(progress.takeChangeOfInterest(isBlocked: false, hasEnded: false) == [])
        #expect(progress.finish() == true)
        #expect(progress.takeChangeOfInterest(isBlocked: false, hasEnded: false) == .read)
    }

    @Test("queues a connection once, and reads nothing from it meanwhile")
    func queuedOnce() {
        var progress = CallProgress()
        #expect(progress.beginWaiting() && !progress.beginWaiting())
        #expect(progress.takeChangeOfInterest(isBlocked: false, hasEnded: false) == [])
        progress.endWaiting()
        #expect(progress.takeChangeOfInterest(isBlocked: false, hasEnded: false) == .read)
    }

    @Test("queues a busy connection only for the next portion of a long reply")
    func longReply() {
        var progress = CallProgress()
        #expect(progress.begin(Reply()) == true)
        #expect(progress.beginWaiting() == true)
        progress.endWaiting()
        #expect(progress.finish() == true)
        #expect(progress.longReply == nil)
    }

    @Test("waits for room alone while a socket is full, and for nothing once the client has ended its side")
    func interest() {
        var progress = CallProgress()
        #expect(progress.takeChangeOfInterest(isBlocked: true, hasEnded: false) == .write)
        #expect(progress.takeChangeOfInterest(isBlocked: true, hasEnded: false) == nil)
        #expect(progress.takeChangeOfInterest(isBlocked: false, hasEnded: true) == [])
    }

    @Test("ends once, for good")
    func ends() {
        var progress = CallProgress()
        #expect(progress.begin(Reply()) == true)
        #expect(progress.close() && !progress.close())
        #expect(progress.longReply == nil && !progress.finish() && !progress.begin() && !progress.beginWaiting())
        #expect(progress.takeChangeOfInterest(isBlocked: true, hasEnded: false) == nil)
    }
}
