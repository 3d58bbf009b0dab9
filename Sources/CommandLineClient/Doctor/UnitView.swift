/// A unit, by systemd's own words.
struct UnitView: Equatable {
    var load = "loaded"
    var active = "active"
    var result = "success"
    var enabled = "enabled"
    /// The exit status of its last process.
    var exitStatus = 0
    var status = ""
}
