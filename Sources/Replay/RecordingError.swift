/// Why a recording cannot be played.
public enum RecordingError: Error, Equatable, CustomStringConvertible {
    /// The file cannot be read, with what the system says.
    case unreadable(String)
    /// A line, counted from 1, is none of a recording, and why.
    case line(Int, String)
    /// There is no reading in it.
    case empty

    /// For people.
    public var description: String {
        switch self {
        case .unreadable(let words): "the recording cannot be read: \(words)"
        case .line(let number, let words):
            "line \(number) of the recording: \(words); 'sensorctl record' makes recordings, 'sensorctl import' makes them of other files"
        case .empty:
            "there is no reading in the recording; 'sensorctl record' makes recordings, 'sensorctl import' makes them of other files"
        }
    }
}
