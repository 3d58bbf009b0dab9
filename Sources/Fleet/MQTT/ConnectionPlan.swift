package import Fleet
package import Programs

/// How to reach the server, and how to introduce oneself.
package struct ConnectionPlan: Equatable, Sendable {
    /// The message that the server publishes when we are gone.
    package struct Will: Equatable, Sendable {
        package let topic: String
        package let payload: [UInt8]
        /// Whether it is kept for whoever comes later.
        package var isKept: Bool

        package init(topic: String, payload: [UInt8], isKept: Bool) {
            self.topic = topic
            self.payload = payload
            self.isKept = isKept
        }
    }

    package var server: ServerAddress
    /// Our name, which no other client may have.
    package var clientID: String
    package var version: ProtocolVersion
    package var certificate: String?
    package var key: String?
    /// The certificates of those who may sign the server's.
    package var authority: String?
    package var user: String?
    package var password: String?
    /// The file that has the password, read anew for each connection.
    package var passwordFile: String?
    package var will: Will?
    /// For how long the server keeps what comes for us while we are not connected; 0: not at all.
    package var sessionSeconds: UInt32 = 0
    /// How often a silent connection is tried; it has ended if no answer comes in as much time again.
    package var keepaliveSeconds: Int32 = 15
    /// The most bytes of a message that are wanted; the rest of a longer one is cut off.
    package var mostPayloadBytes = 1 << 16

    /// The settings of a server; the files that they name have to be readable.
    package init(_ settings: FleetSettings, clientID: String) throws(Failure) {
        guard let server = settings.server else {
            throw Failure(.configuration, "there is no server: write Url= under [Server], or see --server")
        }
        self.init(server, clientID: clientID, version: settings.version ?? .five)
        user = settings.user
        certificate = try Credential.path(settings.certificate, "Certificate")
        key = try Credential.path(settings.key, "Key")
        authority = try Credential.path(settings.authority, "Authority")
        passwordFile = try Credential.path(settings.passwordFile, "PasswordFile")
    }

    package init(_ server: ServerAddress, clientID: String, version: ProtocolVersion) {
        self.server = server
        self.clientID = clientID
        self.version = version
    }
}

// Not beside `ServerLink`, whose file needs nothing else of `Programs` in its interface.
extension ServerLink {
    /// Makes a connection that begins, as planned.
    package typealias Maker = (ConnectionPlan) throws(Failure) -> any ServerConnection
}
