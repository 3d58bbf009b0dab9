public import Devices
internal import Glibc
public import Platform

extension GpsdAddress {
    /// Resolves the host's addresses, within two seconds.
    public func resolved() throws(DeviceFault) -> [TCPEndpoint] {
        do throws(SystemError) {
            return try TCPEndpoint.resolve(host, port: port, withinNanoseconds: TCPEndpoint.patienceNanoseconds)
        } catch {
            let why = TCPEndpoint.cure(of: error, resolving: host)
            throw DeviceFault(.missing, "no gpsd at \(self): \(why)", cause: error)
        }
    }
}

extension DeviceFault {
    /// The fault when no address of gpsd accepts a connection.
    init(noConnection error: SystemError, to endpoints: [TCPEndpoint], of address: GpsdAddress) {
        let why = SystemError.words(for: error.code)
        guard endpoints.allSatisfy(\.isNear) else {
            let cure =
                error.code == ECONNREFUSED
                ? "start it there with -G (without that option, gpsd serves only its own host)"
                : TCPEndpoint.cure(ofSilence: endpoints)
            self.init(.missing, "no gpsd at \(address) (\(why)): \(cure)", cause: error)
            return
        }
        // This host's kernel answers at once, unless the program has long accepted none.
        guard error.code != ETIMEDOUT else {
            self.init(.failed, "gpsd at \(address) accepts no more connections: restart gpsd", cause: error)
            return
        }
        self.init(
            .missing,
            "no gpsd at \(address) (\(why)): start it ('sensorctl doctor' says how), or name another with "
                + "--gpsd HOST:PORT",
            cause: error)
    }
}
