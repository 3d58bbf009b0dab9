import Testing

@testable import Formats

@Suite("A calendar time") struct CalendarTimeTests {
    @Test(
        "is read as ISO 8601 writes it",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00.000001Z", 951_825_600_000_001),
            ("1969-12-31T23:59:59.5Z", -500_000), ("2026-11-21T12:03:04+01:00", 1_795_258_984_000_000),
            (" 2026-11-21 12:03:04,25 ", 1_795_262_584_250_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
            ("2026-11-21T12:03Z", 1_795_262_580_000_000), ("2026-11-20T24:00:00Z", 1_795_219_200_000_000),
            ("2026-11-21T12:03:04.1234567890123Z", 1_795_262_584_123_456),
        ])
    func read(text: String, microseconds: Int64) { #expect(CalendarTime.microseconds(text) == microseconds) }

    @Test(
        "that does not exist is nil",
        arguments: [
            "", "2026", "2026-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "2026-11-21T24:00:01Z", "2026-11-21T24:01Z",
            "2026-11-21T12:03:04Zx",
            "0000-01-01T00:00:00Z", "2026-11-21T12:03:04.Z", "2026-11-21T12:03:04+1Z", "٢٠٢٦-11-21T12:03:04Z",
        ])
    func refused(text: String) { #expect(CalendarTime.microseconds(text) == nil) }

    @Test("is written and read back unchanged, from the year 1 to 9999")
    func written() {
        #expect(CalendarTime.text(microseconds: 1_795_262_584_250_000) == "2026-11-21T12:03:04.250000Z")
        #expect(CalendarTime.text(microseconds: .max) == "9999-12-31T23:59:59.999999Z")
        #expect(CalendarTime.text(microseconds: .min) == "0001-01-01T00:00:00Z")
        for step in Int64(-20_000)...20_000 {
            let instant = step &* 9_876_543_210_123
            guard abs(instant) < 60_000_000_000_000_000 else { continue }
            #expect(CalendarTime.microseconds(CalendarTime.text(microseconds: instant)) == instant)
        }
    }
}
