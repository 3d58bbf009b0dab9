import Configuration
import Spool
import Testing

@testable import Fleet

@Suite struct WantedReadingTests {
    @Test(
        "what is written in a file is what is printed",
        arguments: [
            "1s", "10ms batch 1s", "1min mean", "1s priority high", "10ms batch 1s mean priority low quota 20%",
        ])
    func text(text: String) throws {
        #expect(try WantedReading(resource: "location", parsing: text).text == text)
    }

    @Test("options may have any order, and the spool gets what it has to know")
    func options() throws {
        let reading = try WantedReading(resource: "accelerometer", parsing: "10ms batch 1s quota 5% priority low mean")
        #expect(reading.isMean && reading.batch?.nanoseconds == 1_000_000_000)
        #expect(reading.spooled == SpoolStream("accelerometer", priority: .low, percent: 5))
        #expect(try WantedReading(resource: "location", parsing: "1s").spooled == SpoolStream("location"))
    }

    @Test(
        "what is wrong is refused with what to write",
        arguments: [
            ("1s priority 2", "low, normal, high"), ("1s priority", "priority high"),
            ("1s quota 0%", "from 1% to 100%"),
            ("1s quota 20", "from 1% to 100%"), ("1s batch", "batch"), ("priority high", ""),
        ])
    func refused(text: String, words: String) {
        do throws(SettingRefusal) {
            _ = try WantedReading(resource: "location", parsing: text)
            Issue.record("\(text) is taken")
        } catch { #expect(error.words.contains(words)) }
    }
}
