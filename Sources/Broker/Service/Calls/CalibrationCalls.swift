internal import Delivery
internal import Motion
internal import Platform
internal import Readings
internal import Varlink

/// The administrator's methods for calibrations.
struct CalibrationCalls {
    private let broker: Broker

    init(_ broker: Broker) { self.broker = broker }

    func list(_ call: Call, into writer: inout JSONWriter) throws(VarlinkError) {
        try call.parameters.allowOnly()
        writer.beginReply()
        writer.beginArray("calibrations")
        for (resource, calibration) in broker.calibrations.all {
            writer.beginObject()
            calibration.write(resource: resource?.description, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endReply()
    }

    func set(_ call: Call, _ connection: Connection, now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly("resource", "offset", "matrix", "error", "temperatureCelsius")
        let resource = try resource(call.parameters)
        guard StoredCalibration.mostOffset(of: resource.kind) != nil else {
            throw .calibrationRefused(
                "\(resource.name) cannot be calibrated: only accelerometers, gyroscopes and magnetometers can")
        }
        let utcSeconds = Clock.realtimeNanoseconds() / 1_000_000_000
        guard let calibration = try SensorCalibration(call.parameters, utcSeconds: max(0, utcSeconds)) else {
            throw .calibrationRefused("no sensor is so far off, or the matrix mirrors")
        }
        let checked: StoredCalibration
        do throws(CalibrationFault) { checked = try broker.calibrations.checked(calibration, of: resource) } catch {
            throw .calibrationRefused(error.description)
        }
        broker.calibrations.set(checked, of: resource, now: now, done: answer(call, connection, "isKept"))
    }

    func forget(_ call: Call, _ connection: Connection, now: BootTime) throws(VarlinkError) {
        try call.parameters.allowOnly("resource")
        let resource = try resource(call.parameters)
        broker.calibrations.forget(resource, now: now, done: answer(call, connection, "wasKnown"))
    }

    private func resource(_ parameters: Parameters) throws(VarlinkError) -> OwnedResource {
        let name = try parameters.string("resource")
        guard let index = ResourceName(name).flatMap({ broker.catalog.index(of: $0) }) else {
            throw .noSuchResourceToAdministrate(name)
        }
        return broker.catalog[index]
    }

    /// Sends the answer of a call when it is known; the caller may have gone meanwhile.
    private func answer(
        _ call: Call, _ connection: Connection, _ name: StaticString
    ) -> (Result<Bool, CalibrationFault>, BootTime) -> Void {
        let (token, isOneway) = (connection.token, call.mode == .oneway)
        if !isOneway { connection.makeBusy() }
        return { [unowned broker = self.broker] result, now in
            guard !isOneway, let connection = broker.server.clients[token] else { return }
            switch result {
            case .success(let flag): connection.reply(now: now) { $0.member(name, flag) }
            case .failure(let fault): connection.reply(.calibrationRefused(fault.description), now: now)
            }
            connection.finishCall()
        }
    }
}
