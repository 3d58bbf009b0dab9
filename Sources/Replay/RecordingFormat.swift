/// What recordings of this program call themselves.
public enum RecordingFormat {
    /// The name in the first line.
    public static let name = "io.sensorbroker.recording"
    /// The version that is written; later ones are not read.
    public static let version: Int64 = 1
}
