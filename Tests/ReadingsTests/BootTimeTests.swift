import Readings
import Testing

@Suite("An instant of boot time") struct BootTimeTests {
    @Test("stays within its range at both ends")
    func saturates() {
        #expect((BootTime(nanoseconds: .max) + 1).nanoseconds == .max)
        #expect((BootTime(nanoseconds: .min) + -1).nanoseconds == .min)
        #expect(BootTime(nanoseconds: .max) - BootTime(nanoseconds: .min) == .max)
        #expect(BootTime(nanoseconds: .min) - BootTime(nanoseconds: .max) == .min)
        #expect(BootTime(nanoseconds: 7) - BootTime(nanoseconds: 10) == -3)
    }

    @Test("is the earlier of two, of which either may be missing")
    func earlier() {
        let early = BootTime(nanoseconds: 1)
        let late = BootTime(nanoseconds: 2)
        #expect(BootTime.earlier(early, late) == early)
        #expect(BootTime.earlier(late, early) == early)
        #expect(BootTime.earlier(nil, late) == late)
        #expect(BootTime.earlier(late, nil) == late)
        #expect(BootTime.earlier(nil, nil) == nil)
    }
}
