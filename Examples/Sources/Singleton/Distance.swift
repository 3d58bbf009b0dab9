import SensorBroker

enum Distance {
    /// Over ground; none where one of the two is not known.
    static func metres(from: Location?, to: Location) -> Double {
        guard let here = from?.coordinate, let there = to.coordinate else { return 0 }
        return here.distance(to: there)
    }
}
