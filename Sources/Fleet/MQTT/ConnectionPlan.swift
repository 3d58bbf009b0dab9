public import Fleet
public import Programs

/// How to reach the server, and how to introduce oneself.
public struct ConnectionPlan: Equatable, Sendable {
    /// The message that the server publishes when we are gone.
    public struct Will: Equatable, Sendable {
        /// The message's topic.
        public let topic: String
        /// The message's payload.
        public let payload: [UInt8]
        /// Whether it is kept for whoever comes later.
        public var isKept: Bool

        /// A message of the server's.
        public init(topic: String, payload: [UInt8], isKept: Bool) {
            self.topic = topic
            self.payload = payload
            self.isKept = isKept
        }
    }

    /// Where the server is.
    public var server: ServerAddress
    /// Our name, which no other client may have.
    public var clientID: String
    /// The version of MQTT.
    public var version: ProtocolVersion
    /// The files that encryption needs.
    public var certificate: String?
    /// The key of the certificate.
    public var key: String?
    /// The certificates of those who may sign the server's.
    public var authority: String?
    /// The user's name.
    public var user: String?
    /// The user's password.
    public var password: String?
    /// The file that has the password, read anew for each connection.
    public var passwordFile: String?
    /// The message that the server publishes when we are gone.
    public var will: Will?
    /// For how long the server keeps what comes for us while we are not connected; 0: not at all.
    public var sessionSeconds: UInt32 = 0
    /// How often a silent connection is tried; it has ended if no answer comes in as much time again.
    public var keepaliveSeconds: Int32 = 15
    /// The most bytes of a message that are wanted; the rest of a longer one is cut off.
    public var mostPayloadBytes = 1 << 16

    /// The settings of a server; the files that they name have to be readable.
    public init(_ settings: FleetSettings, clientID: String) throws(Failure) {
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

    /// A plan without files and users.
    public init(_ server: ServerAddress, clientID: String, version: ProtocolVersion) {
        self.server = server
        self.clientID = clientID
        self.version = version
    }
}
