/// What `sensorbrokerd --check-config` says.
struct ConfigurationView: Equatable {
    /// The first error, `FILE:LINE: message`; nil where there is none.
    var error: String?
    /// Settings that are valid but do not have their intended effect.
    var notes: [String] = []
    /// Where gpsd is to be.
    var gpsd = "localhost:2947"
    /// Which IIO context is used.
    var context = "local:"
}
