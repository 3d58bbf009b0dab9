internal import Formats
internal import Mock

/// Parses positions: `52.5200, 13.4050`, optionally with an altitude: `52.52 13.405 34m`.
enum Places {
    private static let example = "latitude and longitude in degrees, such as 52.5200, 13.4050 or 52.52, 13.405, 34m"

    static func stop(_ text: String) throws(Refusal) -> Route.Stop {
        let words = text.split { $0 == " " || $0 == "," || $0 == "\t" }.map(String.init)
        guard words.count == 2 || words.count == 3, let latitude = DecimalNumber.value(words[0]),
            let longitude = DecimalNumber.value(words[1]), abs(latitude) <= 90, abs(longitude) <= 180,
            let altitude = words.count == 3 ? NumberWithUnit.meters(words[2]) : 0,
            (-20_000...100_000).contains(altitude)
        else { throw Refusal(text, isNo: "place", write: example) }
        return (Position(latitudeDegrees: latitude, longitudeDegrees: longitude), altitude)
    }

    /// `PLACE to PLACE`.
    static func greatCircle(_ text: String) throws(Refusal) -> [Route.Stop] {
        let words = text.split(separator: " ").map(String.init)
        guard let middle = words.firstIndex(of: "to") else {
            throw Refusal(text, isNo: "great circle", write: "52.52, 13.40 to 40.64, -73.78")
        }
        let stops = [
            try stop(words[..<middle].joined(separator: " ")),
            try stop(words[(middle + 1)...].joined(separator: " ")),
        ]
        guard !Route.isAmbiguous(stops[0].position, stops[1].position) else {
            throw Refusal("these two places are antipodes, so every direction is a great circle; move one of them")
        }
        return stops
    }

    /// `PLACE radius METERS [clockwise|counterclockwise]`.
    static func circle(_ text: String) throws(Refusal) -> LocationDraft.Way {
        var words = text.split(separator: " ").map(String.init)
        var isClockwise = true
        if let last = words.last, last == "clockwise" || last == "counterclockwise" {
            isClockwise = last == "clockwise"
            words.removeLast()
        }
        guard let middle = words.firstIndex(of: "radius"),
            let radius = NumberWithUnit.meters(words[(middle + 1)...].joined()), (0.1...1_000_000).contains(radius)
        else {
            throw Refusal(
                text, isNo: "circle",
                write: "52.52, 13.40 radius 500m, optionally followed by clockwise or counterclockwise")
        }
        let center = try stop(words[..<middle].joined(separator: " "))
        return .circle(
            center.position, radiusMeters: radius, altitudeMeters: center.altitudeMeters, isClockwise: isClockwise)
    }
}
