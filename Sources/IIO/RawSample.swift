/// One scan as the chip gave it.
struct RawSample: Equatable {
    var x: Int64
    var y: Int64
    var z: Int64
    /// Nanoseconds of the device's clock; 0 where it does not stamp.
    var stamp: Int64
}
