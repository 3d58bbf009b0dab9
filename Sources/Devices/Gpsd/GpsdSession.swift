internal import CGps
internal import Devices
internal import Platform
internal import Readings

/// A connection to gpsd: libgps requests the reports and unpacks their lines.
///
/// Only this file uses libgps. The socket is connected here, because libgps waits two minutes for a host that does not
/// answer. Bytes are received and split into lines here as well, because `gps_waiting` and `gps_read` spin on half a
/// line, never recover from a long one, and hang for ever on some lists of devices. `gps_unpack` of one bounded line of
/// a known class has none of these faults.
@safe struct GpsdSession: ~Copyable {
    private let handle: UnsafeMutablePointer<gps_data_t>
    private var socket: TCPConnection?
    /// The socket, for `poll`; -1 without a connection.
    private(set) var descriptor: Int32 = -1
    private var cLine = [CChar](repeating: 0, count: LineFraming.capacity + 1)

    /// Creates a session without a connection, which can only unpack lines.
    init() throws(DeviceFault) {
        guard let handle = unsafe cgps_allocate() else {
            throw DeviceFault(.failed, "no memory for libgps")
        }
        unsafe self.init(handle)
    }

    private init(_ handle: UnsafeMutablePointer<gps_data_t>) { unsafe self.handle = handle }

    deinit {
        unsafe cgps_free(handle)
    }

    /// Connects to the first of gpsd's addresses that answers, within `TCPConnection.patienceNanoseconds`.
    mutating func connect(to endpoints: [TCPEndpoint], of address: GpsdAddress) throws(DeviceFault) {
        do throws(SystemError) {
            let connection = try TCPConnection(to: endpoints, withinNanoseconds: TCPConnection.patienceNanoseconds)
            descriptor = connection.number
            unsafe cgps_use(handle, descriptor)
            socket = consume connection
        } catch { throw DeviceFault(noConnection: error, to: endpoints, of: address) }
    }

    /// Requests the reports of all receivers, or of the one at a path; false if gpsd has gone. `gps_stream(3)`, `gps_send(3)`
    ///
    /// libgps writes without MSG_NOSIGNAL: the process must ignore SIGPIPE.
    func watch(_ path: String?) -> Bool {
        guard let path else { return unsafe cgps_watch(handle, nil) == 0 }
        let escaped = String(path.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] })
        return unsafe escaped.withCString { unsafe cgps_watch(handle, $0) == 0 }
    }

    /// Ends the reports; false if gpsd has gone. `gps_stream(3)`
    func unwatch() -> Bool { unsafe cgps_unwatch(handle) == 0 }

    /// Requests the list of receivers, which activates none; false if gpsd has gone. `gps_send(3)`
    func askReceivers() -> Bool { unsafe cgps_ask_receivers(handle) == 0 }

    /// Waits until something can be received; false if nothing came in time. `poll(2)`
    func wait(milliseconds: Int32) -> Bool { unsafe cgps_wait(handle, milliseconds) > 0 }

    /// Receives once, without blocking. `recv(2)`
    func receive(into framing: inout LineFraming) -> Reception {
        let count = unsafe framing.fill { unsafe cgps_receive(handle, $0.baseAddress, $0.count) }
        switch count {
        case nil: return .overlong
        case 0?: return .closed
        case let count? where count > 0: return .received
        default:
            let code = cgps_errno()
            return code == EAGAIN || code == EINTR ? .nothing : .failed(.init("recv from gpsd", code: code))
        }
    }

    /// Unpacks a line; nil if it has nothing of interest or cannot be read. `gps_unpack(3)`
    mutating func unpack(_ line: borrowing Span<UInt8>) -> GpsdReport? {
        let kind = GpsdLine(line)
        if kind == .other { return nil }
        if kind == .noSuchReceiver { return .noSuchReceiver }
        if kind == .devices { return .receivers(receivers(in: line)) }
        guard setLine(line) else { return nil }
        _ = unsafe cgps_unpack(handle, &cLine)
        switch kind {
        case .fix:
            guard unsafe cgps_has_fix(handle) != 0 else { return nil }
            return .fix(fix(of: line), path: path)
        case .sky where unsafe cgps_has_satellites(handle) == 0: return crowdedSky(line)
        case .attitude: return .attitude(AttitudeReport(line), path: path)
        default: return report(of: kind)
        }
    }

    /// Checks that the loaded libgps has the struct layout that this program was built with.
    ///
    /// There is no version to ask libgps for, and its struct has changed under one soname. The check unpacks a TPV and
    /// a SKY and compares every field that is read. Throws if one differs.
    static func checkLibrary() throws(DeviceFault) {
        var session = try GpsdSession()
        for (line, report) in LibraryCheck.cases {
            let bytes = Array(line.utf8)
            guard session.unpack(bytes.span) == report else {
                throw DeviceFault(
                    .failed,
                    "the installed libgps does not match this build: install the libgps that it was built with, "
                        + "or rebuild it with this host's libgps-dev")
            }
        }
    }

    private mutating func setLine(_ line: borrowing Span<UInt8>) -> Bool {
        guard line.count < cLine.count else { return false }
        return unsafe line.withUnsafeBufferPointer { unsafe cgps_copy_line(&cLine, $0.baseAddress, $0.count) != 0 }
    }

    private func report(of kind: GpsdLine) -> GpsdReport? {
        switch kind {
        case .sky: .sky(sky, path: path)
        case .dilutions where dilutions.hasDilutions: .sky(dilutions, path: path)
        case .version where unsafe cgps_has_version(handle) != 0:
            .version(unsafe String(cString: cgps_release(handle)))
        case .device(gone: true): .receiverGone(path: path)
        case .device where unsafe cgps_has_device(handle) != 0:
            .receiver(Receiver(path: path, driver: unsafe String(cString: cgps_driver(handle))))
        default: nil
        }
    }

    private var path: String { unsafe String(cString: cgps_path(handle)) }

    private func fix(of line: borrowing Span<UInt8>) -> FixReport {
        let fix = unsafe cgps_get_fix(handle)
        var report = FixReport(
            mode: Int(fix.mode), eastErrorMeters: sent(fix.epx), northErrorMeters: sent(fix.epy),
            baseline: BaselineReport(line))
        if fix.seconds != 0 || fix.nanoseconds != 0 {
            report.time = FixTime(seconds: fix.seconds, nanoseconds: fix.nanoseconds)
        }
        report.location.latitudeDegrees = sent(fix.latitude)
        report.location.longitudeDegrees = sent(fix.longitude)
        report.location.altitudeMeters = sent(fix.altitude_msl)
        report.location.ellipsoidHeightMeters = sent(fix.altitude_hae)
        report.location.speedMetersPerSecond = sent(fix.speed)
        report.location.trackDegrees = sent(fix.track)
        report.location.climbMetersPerSecond = sent(fix.climb)
        report.location.speedErrorMetersPerSecond = sent(fix.eps)
        report.location.trackErrorDegrees = sent(fix.epd)
        report.location.climbErrorMetersPerSecond = sent(fix.epc)
        report.location.geoidSeparationMeters = sent(fix.geoid_separation)
        // libgps may confuse these with the position relative to a reference station.
        if GpsdLine.hasVelocity(line) {
            report.location.velocityNorthMetersPerSecond = sent(fix.velocity_north)
            report.location.velocityEastMetersPerSecond = sent(fix.velocity_east)
            report.location.velocityDownMetersPerSecond = sent(fix.velocity_down)
        }
        report.location.ecefVelocityXMetersPerSecond = sent(fix.ecef_velocity_x)
        report.location.ecefVelocityYMetersPerSecond = sent(fix.ecef_velocity_y)
        report.location.ecefVelocityZMetersPerSecond = sent(fix.ecef_velocity_z)
        report.location.timeErrorSeconds = sent(fix.ept)
        report.location.leapSeconds = FixValidation.within(PossibleValues.leapSeconds, Int(fix.leap_seconds))
        report.location.horizontalErrorMeters = sent(fix.eph)
        report.location.verticalErrorMeters = sent(fix.epv)
        report.location.status = FixValidation.status(Int(fix.status))
        report.location.correctionAgeSeconds = FixValidation.within(PossibleValues.correctionAges, fix.dgps_age)
        report.location.correctionStation = FixValidation.within(
            PossibleValues.correctionStations, Int(fix.dgps_station))
        return report
    }

    /// libgps leaves NaN where gpsd sent nothing.
    private func sent(_ value: Double) -> Double? { value.isNaN ? nil : value }

    /// A sky without its satellites.
    private var dilutions: SkyReport {
        SkyReport(
            used: 0, visible: 0, horizontalDilution: FixValidation.dilution(unsafe cgps_hdop(handle)),
            verticalDilution: FixValidation.dilution(unsafe cgps_vdop(handle)),
            positionDilution: FixValidation.dilution(unsafe cgps_pdop(handle)), hasSatellites: false)
    }

    private var sky: SkyReport {
        var sky = dilutions
        sky.hasSatellites = true
        for index in 0..<cgps_satellite_places() {
            let seen = unsafe cgps_satellite_at(handle, index)
            guard seen.prn > 0 else { continue }
            sky.visible += 1
            sky.used += seen.used != 0 ? 1 : 0
            let satellite = FixValidation.satellite(
                prn: Int(seen.prn), systemIndex: Int(seen.gnssid), systemNumber: Int(seen.svid), isUsed: seen.used != 0,
                elevation: seen.elevation, azimuth: seen.azimuth, signal: seen.signal)
            if let satellite { sky.satellites.append(satellite) }
        }
        return sky
    }

    /// Unpacks a sky with more satellites than libgps can hold, of which it makes nothing at all: part by part.
    private mutating func crowdedSky(_ line: borrowing Span<UInt8>) -> GpsdReport? {
        guard let parts = GpsdLine.satellites(in: line, partsOf: Int(cgps_satellite_places())), parts.count > 1,
            let first = parts.first, let last = parts.last
        else { return nil }
        guard unpackSky(line, without: first.upperBound..<last.upperBound) else { return nil }
        let (path, head) = (path, first.lowerBound)
        var whole = sky
        for part in parts.dropFirst() {
            guard unpackSky(line, without: head..<part.lowerBound, and: part.upperBound..<last.upperBound) else {
                return nil
            }
            let sky = sky
            whole.satellites += sky.satellites
            whole.used += sky.used
            whole.visible += sky.visible
        }
        return .sky(whole, path: path)
    }

    /// Unpacks a sky without some bytes of its line; false if libgps makes nothing of that.
    private mutating func unpackSky(
        _ line: borrowing Span<UInt8>, without gap: Range<Int>, and other: Range<Int>? = nil
    ) -> Bool {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.count)
        for index in line.indices where !gap.contains(index) && other?.contains(index) != true {
            bytes.append(line[index])
        }
        guard setLine(bytes.span) else { return false }
        _ = unsafe cgps_unpack(handle, &cLine)
        return unsafe cgps_has_satellites(handle) != 0
    }

    /// Unpacks each entry of a list as if it had come alone.
    private mutating func receivers(in line: borrowing Span<UInt8>) -> [Receiver] {
        var receivers: [Receiver] = []
        var offset = 0
        while receivers.count < Receiver.mostRemembered, let entry = GpsdLine.nextDevice(in: line, from: offset) {
            if case .receiver(let receiver)? = unpack(line.extracting(entry)) { receivers.append(receiver) }
            offset = entry.upperBound
        }
        return receivers
    }
}
