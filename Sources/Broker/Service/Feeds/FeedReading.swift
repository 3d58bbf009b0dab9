internal import Platform
internal import Readings
internal import Varlink

/// Reads what programs send, as far as their users' shares of the loop's time allow, and hands it to their devices.
final class FeedReading {
    private let server: Server
    private let devices: FedDevices
    private var pacing = FeedPacing() {
        didSet { deadline = pacing.deadline }
    }
    /// When a program that sends too much may be read again; nil: none does.
    private(set) var deadline: BootTime?

    private static let mostLastReads = 32

    init(_ server: Server, _ devices: FedDevices) {
        self.server = server
        self.devices = devices
    }

    /// A program is read from now on, whenever it has sent something.
    func begin(_ provider: Provider, for fed: FedDevice) throws(SystemError) {
        try server.watch(provider.descriptor) { [unowned self, unowned fed] now in read(fed, now) }
    }

    func read(_ fed: FedDevice, _ now: BootTime) {
        guard let provider = fed.provider, provider.connection.phase != .closing else { return }
        let begin = server.stopwatch()
        let isConnected = provider.receive()
        takeMessages(of: provider, for: fed, now)
        devices.takeEvents(of: fed, now)
        if !isConnected { server.clients.close(provider.connection) }
        let elapsed = server.stopwatch() - begin
        if isConnected, pacing.didTake(elapsed, of: provider.userID, through: provider.descriptor, now: now) {
            server.pause(provider.descriptor)
        }
    }

    private func takeMessages(of provider: Provider, for fed: FedDevice, _ now: BootTime) {
        do throws(FeedFault) {
            while let message = try next(provider) { try fed.take(message) }
        } catch {
            provider.reject()
            switch error {
            case .malformed(let fault):
                server.clients.connections.close(
                    provider.connection, for: LogCause.malformed, "sent a message that is no call: \(fault)", now)
            case .refused(let refusal): reject(provider, refusal, now)
            }
        }
    }

    private func next(_ provider: Provider) throws(FeedFault) -> [UInt8]? {
        do throws(FramingError) { return try provider.next() } catch { throw .refused(.invalidParameter("samples")) }
    }

    /// A program's connection ends with an error.
    func reject(_ provider: Provider, _ error: VarlinkError, _ now: BootTime) {
        provider.reject()
        provider.connection.reply(error, now: now)
        server.clients.close(provider.connection)
    }

    /// The last reads of a program that has ended: what it sent before counts, as much as a socket holds.
    func finish(_ provider: Provider, for fed: FedDevice, _ now: BootTime) {
        server.unwatch(provider.descriptor)
        for _ in 0..<Self.mostLastReads where !provider.isRejected {
            let hasMore = provider.receive()
            takeMessages(of: provider, for: fed, now)
            devices.takeEvents(of: fed, now)
            if !hasMore { return }
        }
    }

    /// A program provides nothing any more.
    func forget(_ provider: Provider) {
        let isLast = !devices.areProvided(by: provider.userID)
        pacing.end(provider.descriptor, of: provider.userID, isLast: isLast)
    }

    /// Reads programs again whose pause is over.
    func resume(_ now: BootTime) {
        for descriptor in pacing.takeDue(now) {
            do throws(SystemError) { try server.resume(descriptor) } catch {
                // That fails only for lack of memory: it is tried again.
                pacing.pause(descriptor, until: now + Nanoseconds.second)
            }
        }
    }
}
