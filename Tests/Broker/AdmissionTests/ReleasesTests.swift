import Readings
import TestTools
import Testing

@testable import Admission

@Suite("Releases") struct ReleasesTests {
    private func released(_ releases: Releases) -> [String] {
        [("location", Kind.location), ("accelerometer", .acceleration), ("accelerometer:1", .acceleration)]
            .filter { name, kind in ResourceName(name).map { releases.contain($0, kind) } ?? false }.map(\.0)
    }

    @Test(
        "apply to one resource, to a kind, or to all, also to resources that are found later",
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

    @Test("follow the latest command for a resource")
    func latestOrder() {
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

    @Test("with a duration end by themselves, or continue under a longer one with a wider scope")
    func forATime() {
        var releases = Releases()
        releases.release(.kind(.acceleration), until: nil)
        releases.release(.resource(.accelerometer), until: at(milliseconds: 10))
        releases.release(.resource(.location), until: at(milliseconds: 20))
        #expect(releases.deadline == at(milliseconds: 10))
        releases.expire(now: at(milliseconds: 10))
        #expect(released(releases) == ["location", "accelerometer", "accelerometer:1"])
        #expect(releases.deadline == at(milliseconds: 20))
        releases.expire(now: at(milliseconds: 20))
        #expect(released(releases) == ["accelerometer", "accelerometer:1"])
        #expect(releases.deadline == nil)
    }

    @Test("with the same scope replace the former one: a duration is extended, shortened or removed")
    func again() {
        var releases = Releases()
        releases.release(.all, until: at(milliseconds: 10))
        releases.release(.all, until: at(milliseconds: 30))
        #expect(releases.deadline == at(milliseconds: 30))
        releases.release(.all, until: nil)
        #expect(releases.deadline == nil)
        releases.expire(now: at(milliseconds: 1000))
        #expect(released(releases).count == 3)
    }

    @Test("do not accumulate when a command is repeated")
    func bounded() {
        var releases = Releases()
        var once = Releases()
        for round in 0..<1000 {
            releases.release(.all, until: nil)
            releases.reacquire(.resource(.accelerometer))
            releases.release(.kind(.location), until: at(milliseconds: 5))
            if round == 0 { once = releases }
        }
        #expect(releases == once)
    }
}
