import Readings
import Testing

@testable import Gpsd

@Suite struct GpsdFeedTests {
    @Test("readings come from one receiver, and so do its satellites")
    func oneReceiver() {
        var feed = GpsdFeed()
        for second in Int64(0)..<5 {
            feed.take(.sky(SkyReport(used: 4, visible: 8), path: "/dev/a"), at: time(second * 1000))
            feed.take(fix(second, 10), at: time(second * 1000 + 1))
            feed.take(.sky(SkyReport(used: 1, visible: 1), path: "/dev/b"), at: time(second * 1000 + 2))
            feed.take(.fix(report(second, 20), path: "/dev/b"), at: time(second * 1000 + 3))
        }
        feed.finish()
        #expect(feed.readings.count == 5)
        #expect(feed.readings.allSatisfy { $0.location.latitudeDegrees == 10 })
        #expect(feed.readings.allSatisfy { $0.location.satellitesUsed == 4 })
    }

    @Test("a feed of one receiver has only its readings and satellites, and only its end is a loss")
    func pinned() {
        var feed = GpsdFeed(receiver: "/dev/b")
        for second in Int64(0)..<5 {
            feed.take(.sky(SkyReport(used: 4, visible: 8), path: "/dev/a"), at: time(second * 1000))
            feed.take(fix(second, 10), at: time(second * 1000 + 1))
            feed.take(.sky(SkyReport(used: 1, visible: 1), path: "/dev/b"), at: time(second * 1000 + 2))
            feed.take(.fix(report(second, 20), path: "/dev/b"), at: time(second * 1000 + 3))
        }
        feed.take(.receiverGone(path: "/dev/a"), at: time(5000))
        #expect(feed.lostPath == nil)
        feed.take(.receiverGone(path: "/dev/b"), at: time(5000))
        #expect(feed.lostPath == "/dev/b")
        #expect(feed.readings.count == 5)
        #expect(feed.readings.allSatisfy { $0.location.latitudeDegrees == 20 && $0.location.satellitesUsed == 1 })
    }

    @Test("when the receiver changes, the epoch of the old one is delivered and nothing of it remains")
    func change() {
        var feed = GpsdFeed()
        feed.take(.fix(report(0, 10, mode: 1), path: "/dev/a"), at: time(0))
        feed.take(.fix(report(0, 20), path: "/dev/b"), at: time(1))
        feed.finish()
        #expect(feed.readings.map(\.location.fix) == [.noPosition, .threeDimensional])
        #expect(feed.readings[1].location.latitudeDegrees == 20)
    }

    @Test("the receiver is described as far as it is known")
    func words() {
        var feed = GpsdFeed()
        #expect(feed.receiver?.words == nil)
        feed.take(.receivers([]), at: time(0))
        #expect(feed.receiver?.words == "no receiver")
        feed.take(fix(0, 10), at: time(0))
        #expect(feed.receiver?.words == "/dev/a")
        feed.take(.receiver(Receiver(path: "/dev/a", driver: "u-blox")), at: time(1))
        #expect(feed.receiver?.words == "/dev/a (u-blox)")
    }

    @Test("only the loss of the followed receiver counts, and its last readings come first")
    func lost() {
        var feed = GpsdFeed()
        feed.take(fix(0, 10), at: time(0))
        feed.take(.receiverGone(path: "/dev/b"), at: time(1))
        #expect(feed.lostPath == nil)
        feed.take(.receiverGone(path: "/dev/a"), at: time(2))
        #expect(feed.lostPath == "/dev/a")
        #expect(feed.readings.count == 1)
    }

    @Test("a receiver that goes before it has reported anything is lacking, if it was the last one")
    func goneBeforeItsFirstReport() {
        var feed = GpsdFeed()
        let both = ["/dev/a", "/dev/b"]
        feed.take(.receivers(both.map { Receiver(path: $0, driver: "") }), at: time(0))
        feed.take(.receiverGone(path: "/dev/a"), at: time(1))
        #expect(feed.deadline == nil)
        feed.take(.receiverGone(path: "/dev/b"), at: time(2))
        #expect(feed.deadline == time(2) + GpsdFeed.receiverPatienceNanoseconds)
        feed.take(.receiverGone(path: "/dev/b"), at: time(100))
        #expect(feed.deadline == time(2) + GpsdFeed.receiverPatienceNanoseconds)
        #expect(feed.lostPath == nil)
    }

    @Test("the lack of a receiver is a fault half a second later, unless one comes")
    func lack() {
        let patience = GpsdFeed.receiverPatienceNanoseconds
        for lacking in [
            GpsdReport.receivers([]), .noSuchReceiver, .receivers([Receiver(path: "/dev/pps0", driver: "")]),
        ] {
            var feed = GpsdFeed()
            #expect(!feed.lacksReceiver(at: time(0)))
            feed.take(lacking, at: time(0))
            #expect(feed.deadline == time(0) + patience)
            #expect(!feed.lacksReceiver(at: time(0) + (patience - 1)))
            #expect(feed.lacksReceiver(at: time(0) + patience))
            for coming in [GpsdReport.receiver(Receiver(path: "/dev/a", driver: "")), fix(0, 10)] {
                var feed = feed
                feed.take(coming, at: time(1))
                #expect(!feed.lacksReceiver(at: time(9000)))
            }
        }
    }

    @Test("the number of remembered receivers is bounded")
    func bounded() {
        var feed = GpsdFeed()
        for number in 0..<1000 { feed.take(.receiver(Receiver(path: "/dev/\(number)", driver: "x")), at: time(0)) }
        feed.take(.fix(report(0, 1), path: "/dev/999"), at: time(0))
        #expect(feed.receiver?.words == "/dev/999")
        feed.take(.receiver(Receiver(path: "/dev/3", driver: "y")), at: time(0))
        #expect(feed.receiver?.words == "/dev/999")
    }

    private func time(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

    private func fix(_ second: Int64, _ latitude: Double) -> GpsdReport {
        .fix(report(second, latitude), path: "/dev/a")
    }

    private func report(_ second: Int64, _ latitude: Double, mode: Int = 3) -> FixReport {
        var report = FixReport(time: FixTime(seconds: 1_600_000_000 + second, nanoseconds: 0), mode: mode)
        report.location.latitudeDegrees = latitude
        report.location.longitudeDegrees = 1
        return report
    }
}
