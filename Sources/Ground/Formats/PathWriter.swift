public import Readings

/// A format of other programs for paths.
///
/// Its functions are called in this order: `begin`, for each path `beginPath`, pieces and `endPath`, and at last `end`.
protocol PathFormat {
    mutating func begin(_ text: inout ColumnedText)
    mutating func beginPath(_ name: String, _ text: inout ColumnedText)
    mutating func beginPiece(_ text: inout ColumnedText)
    /// Adds a point that has a position.
    mutating func add(_ location: Location, at place: Coordinate, _ text: inout ColumnedText)
    mutating func endPiece(_ text: inout ColumnedText)
    mutating func endPath(_ text: inout ColumnedText)
    mutating func end(_ text: inout ColumnedText)
}

/// Writes paths point by point, in memory that does not depend on their length.
public struct PathWriter {
    /// How many points were written.
    public private(set) var pointCount = 0
    /// How many unbroken pieces they are.
    public private(set) var pieceCount = 0
    private var format: any PathFormat
    private var text: ColumnedText
    private var isInPiece = false

    /// Begins a document.
    init(_ format: any PathFormat, mostHeld: Int = 1 << 18) {
        self.format = format
        text = ColumnedText(mostHeld: mostHeld)
        self.format.begin(&text)
    }

    /// Begins a path.
    public mutating func begin(_ name: String) { format.beginPath(name, &text) }

    /// Adds a point of the path; one without a position is left out.
    public mutating func add(_ location: Location) {
        guard let place = location.coordinate else { return }
        if !isInPiece {
            pieceCount += 1
            format.beginPiece(&text)
        }
        isInPiece = true
        pointCount += 1
        format.add(location, at: place, &text)
    }

    /// The next point belongs to another piece of the path.
    public mutating func interrupt() {
        if isInPiece { format.endPiece(&text) }
        isInPiece = false
    }

    /// Ends a path.
    public mutating func endPath() {
        interrupt()
        format.endPath(&text)
    }

    /// Ends the document.
    public mutating func end() { format.end(&text) }

    /// What has to be done with the text so far.
    public mutating func take() -> [ColumnedText.Part] { text.take() }
}

extension LocationField {
    /// The fields beside position, altitude and time.
    static let besidePlace = all.filter { field in
        !["latitudeDegrees", "longitudeDegrees", "altitudeMeters"].contains(field.name)
    }
}
