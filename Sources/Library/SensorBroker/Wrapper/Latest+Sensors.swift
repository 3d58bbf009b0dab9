// Views of what a broker measures. Without a broker, it is the current one at each access. The interval is that of each sensor that
// is read, unless a getter has one of its own.

extension Latest where Root == Broker {
    /// Creates a view of a key path of a broker, such as `\.location` or `\.accelerationReading?.value.x`.
    ///
    /// Nil as the interval means each resource's default. Readings that are older than the maximum age count as unknown; nil: no limit.
    public init(
        _ keyPath: any KeyPath<Broker, Value> & Sendable, of broker: Broker? = nil, every interval: Duration? = nil,
        maximumAge: Duration? = nil
    ) {
        self.init(Upkeep(interval: interval, maximumAge: maximumAge)) { (broker ?? .current)[keyPath: keyPath] }
    }

    /// Creates a view of the value of a sensor: `@Latest(Gyroscope.self, every: .milliseconds(20)) var turning`.
    ///
    /// The sensor is the first resource that measures such values, or the named one: `accelerometer:1`. Nil as the
    /// interval means the resource's default. Readings that are older than the maximum age count as unknown; nil: no
    /// limit.
    public init<Measured>(
        _ sensor: Sensor<Measured>.Type, named name: String? = nil, of broker: Broker? = nil,
        every interval: Duration? = nil, maximumAge: Duration? = nil
    ) where Value == Measured? {
        self.init(sensor, \.value, named: name, of: broker, every: interval, maximumAge: maximumAge)
    }

    /// Creates a view of a part of a sensor's reading: `@Latest(Gyroscope.self, \.value.z) var turning`.
    ///
    /// The sensor is the first resource that measures such values, or the named one: `accelerometer:1`. Nil as the
    /// interval means the resource's default. Readings that are older than the maximum age count as unknown; nil: no
    /// limit.
    public init<Measured, Part>(
        _ sensor: Sensor<Measured>.Type, _ part: any KeyPath<Reading<Measured>, Part> & Sendable,
        named name: String? = nil, of broker: Broker? = nil, every interval: Duration? = nil,
        maximumAge: Duration? = nil
    ) where Value == Part? {
        self.init(Upkeep(interval: interval, maximumAge: maximumAge), name, broker) { (reading: Reading<Measured>) in
            reading[keyPath: part]
        }
    }

    /// Creates a view of a part of a sensor's reading that may be unknown itself: `\.value.speedMetersPerSecond`.
    ///
    /// The sensor is the first resource that measures such values, or the named one: `accelerometer:1`. Nil as the
    /// interval means the resource's default. Readings that are older than the maximum age count as unknown; nil: no
    /// limit.
    public init<Measured, Part>(
        _ sensor: Sensor<Measured>.Type, _ part: any KeyPath<Reading<Measured>, Part?> & Sendable,
        named name: String? = nil, of broker: Broker? = nil, every interval: Duration? = nil,
        maximumAge: Duration? = nil
    ) where Value == Part? {
        self.init(Upkeep(interval: interval, maximumAge: maximumAge), name, broker) { (reading: Reading<Measured>) in
            reading[keyPath: part]
        }
    }

    private init<Measured: Measurable, Part>(
        _ upkeep: Upkeep, _ name: String?, _ broker: Broker?,
        _ part: @escaping @Sendable (Reading<Measured>) -> Part?
    ) where Value == Part? {
        let resource = name.map { ResourceName($0) } ?? Measured.firstResource
        if resource == nil {
            upkeep.fault = .invalidRequest(
                "'\(name ?? "")' is no name of a resource: it is like 'accelerometer:1', in small letters")
        }
        self.init(upkeep) {
            resource.flatMap { (broker ?? .current).latest(of: Sensor<Measured>.self, resource: $0) }.flatMap(part)
        }
    }
}
