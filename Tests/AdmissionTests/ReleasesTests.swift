import Readings
import Testing

@testable import Admission

@Suite("Releases") struct ReleasesTests {
    private func released(_ releases: Releases) -> [String] {
        [("location", Kind.location), ("accelerometer", .acceleration), ("accelerometer:1", .acceleration)]
            .filter { name, kind in ResourceName(name).map { releases.contain($0, kind) } ?? false }.map(\.0)
    }

    @Test(
        "are of one resource, of a kind, or of all; those that come later included",
        arguments: [
            (ResourceScope.resource(.accelerometer), ["accelerometer"]),
            (.kind(.acceleration), ["accelerometer", "accelerometer:1"]),
            (.all, ["location", "accelerometer", "accelerometer:1"]),
        ])
    func levels(scope: ResourceScope, expected: [String]) {
        var releases = Releases()
        #expect(released(releases) == [])
        releases.release(scope, until: nil)
        #expect(released(releases) == expected)
        releases.reacquire(scope)
        #expect(released(releases) == [])
        #expect(releases == Releases())
    }

    @Test("go by the latest word that concerns a resource")
    func latestWord() {
        var releases = Releases()
        releases.release(.all, until: nil)
        releases.reacquire(.resource(.accelerometer))
        #expect(released(releases) == ["location", "accelerometer:1"])
        releases.reacquire(.kind(.location))
        #expect(released(releases) == ["accelerometer:1"])
        releases.release(.kind(.acceleration), until: nil)
        #expect(released(releases) == ["accelerometer", "accelerometer:1"])
        releases.reacquire(.all)
        #expect(releases == Releases())
    }

    @Test("for a time end by themselves, and give way to a longer one of more")
    func forATime() {
        var releases = Releases()
        releases.release(.kind(.acceleration), until: nil)
        releases.release(.resource(.accelerometer), until: at(10))
        releases.release(.resource(.location), until: at(20))
        #expect(releases.deadline == at(10))
        releases.expire(now: at(10))
        #expect(released(releases) == ["location", "accelerometer", "accelerometer:1"])
        #expect(releases.deadline == at(20))
        releases.expire(now: at(20))
        #expect(released(releases) == ["accelerometer", "accelerometer:1"])
        #expect(releases.deadline == nil)
    }

    @Test("of the same again replace what was said: a time is prolonged, shortened or taken off")
    func again() {
        var releases = Releases()
        releases.release(.all, until: at(10))
        releases.release(.all, until: at(30))
        #expect(releases.deadline == at(30))
        releases.release(.all, until: nil)
        #expect(releases.deadline == nil)
        releases.expire(now: at(1000))
        #expect(released(releases).count == 3)
    }

    @Test("do not grow with what is said over and over")
    func bounded() {
        var releases = Releases()
        var once = Releases()
        for round in 0..<1000 {
            releases.release(.all, until: nil)
            releases.reacquire(.resource(.accelerometer))
            releases.release(.kind(.location), until: at(5))
            if round == 0 { once = releases }
        }
        #expect(releases == once)
    }

    private func at(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }
}
