/// What the status line says of devices.
struct DeviceCounts: Equatable {
    /// How many are open; what is derived does not count.
    var active = 0
    /// The lanes of their resources.
    var lanes = 0

    static func + (one: Self, other: Self) -> Self {
        Self(active: one.active + other.active, lanes: one.lanes + other.lanes)
    }

    static func - (all: Self, part: Self) -> Self {
        Self(active: all.active - part.active, lanes: all.lanes - part.lanes)
    }
}
