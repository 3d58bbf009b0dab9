internal import Configuration
internal import Mock

/// Speeds as they are written: `50km/h`, or `0 at 0s, 50km/h at 10s, 50km/h at 1min, 0 at 70s, 0 at 90s`.
enum Speeds {
    static func profile(_ text: String) throws(Refusal) -> SpeedProfile {
        if let speed = Quantity.speed(text) { return SpeedProfile([(0, speed)]) }
        var points: [(seconds: Double, metersPerSecond: Double)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: " ").map(String.init)
            guard let middle = words.firstIndex(of: "at"), let speed = Quantity.speed(words[..<middle].joined()),
                let seconds = seconds(words[(middle + 1)...].joined(separator: " "))
            else {
                throw Refusal(
                    String(part), isNo: "speed",
                    write: "50km/h, 14m/s or 20kn, or speeds at times: 0 at 0s, 50km/h at 10s, 0 at 1min")
            }
            guard points.last.map({ $0.seconds < seconds }) ?? (seconds == 0) else {
                throw Refusal(
                    points.isEmpty
                        ? "begins at \(seconds) s: say what the speed is at 0s"
                        : "the times do not increase at '\(part)'; write them in order")
            }
            points.append((seconds, speed))
        }
        guard points.count > 1 else { throw Refusal("is one speed at one time: write it alone, such as 50km/h") }
        guard points.contains(where: { $0.metersPerSecond > 0 }) else {
            throw Refusal("never moves; for a thing that stands write Position= instead of a way")
        }
        return SpeedProfile(points)
    }

    private static func seconds(_ text: String) -> Double? {
        TimeSpan(text)?.nanoseconds == 0 ? 0 : Quantity.seconds(text)
    }
}
