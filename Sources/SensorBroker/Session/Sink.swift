/// Where what a listener is told goes.
protocol Sink: AnyObject, Sendable {
    /// It is told something; never waits.
    func take(_ told: Told)
    /// It is told nothing more, for this reason.
    func end(_ error: SensorError)
}
