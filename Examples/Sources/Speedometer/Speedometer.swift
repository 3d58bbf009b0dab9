import SensorBroker

/// Shows the speed over ground: `speedometer [COUNT]`.
///
/// The display is the delegate; as an actor it is told on its own
/// executor, one reading at a time.
@main struct Speedometer {
    static func main() async {
        let display = Display(count: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max)
        let location = LocationManager(updateInterval: .milliseconds(200))
        location.setDelegate(display)
        if let error = await display.untilDone() { print("speedometer: \(error)") }
        withExtendedLifetime(location) {}
    }
}

/// Prints a line a reading, and is done after so many.
actor Display: SensorDelegate {
    private var remaining: Int
    private var error: SensorError?
    private var done: CheckedContinuation<Void, Never>?

    init(count: Int) { remaining = count }

    func didUpdate(_ reading: Reading<Location>, of sensor: SensorID) {
        guard remaining > 0 else { return }
        let speed = reading.value.speedMetersPerSecond.map { "\(Int(($0 * 3.6).rounded())) km/h" }
        print(speed ?? "no speed")
        remaining -= 1
        if remaining == 0 { finish() }
    }

    func didDisconnect(_ error: SensorError, of sensor: SensorID) { print("waiting: \(error)") }

    func didFail(_ error: SensorError, of sensor: SensorID) {
        self.error = error
        finish()
    }

    /// Waits for the last reading; the error, if there are to be none.
    func untilDone() async -> SensorError? {
        if remaining > 0, error == nil { await withCheckedContinuation { done = $0 } }
        return error
    }

    private func finish() {
        done?.resume()
        done = nil
    }
}
