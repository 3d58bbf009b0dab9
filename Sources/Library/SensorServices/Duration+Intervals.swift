// Intervals that are no time: words for what a request may ask of the device. On the wire they are zero and the shortest one there is.

extension Duration {
    /// As the interval of readings: as fast as the device can, and this user may have it.
    ///
    /// The device runs for that, which takes power, and the grant has the interval. It is what zero means to Core
    /// Motion.
    public static var fastest: Self { .nanoseconds(1) }

    /// As the interval of readings: every sample that the device measures, at the rate at which it runs for others, or else at its default rate.
    ///
    /// The value is the same as `.zero`.
    public static var everySample: Self { .zero }

    /// The interval of readings in words: `every 20 ms`.
    var pace: String {
        switch self {
        case .everySample: "every sample"
        case .fastest: "as fast as it can"
        default: "every \(text)"
        }
    }
}
