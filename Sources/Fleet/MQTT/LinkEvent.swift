package import Fleet
package import Programs

/// What a link reports to whoever uses it.
package enum LinkEvent {
    /// There is a connection; what the server announced.
    case online(receiveMaximum: Int?, packetMaximum: Int?)
    /// The server answered to a message.
    case answered(identifier: Int32, reason: Int32)
    /// The server sent a message.
    case message(ServerMessage)
    /// Something about the server, which is reported once; how that was found, or why it is so, in words.
    case noticed(LinkNotice, String)
    /// The connection has ended, or there was none; it is tried again.
    case ended(LinkEnd)
}

/// A message of the server: one that it kept for us, or one that somebody just sent.
package struct ServerMessage: Equatable, Sendable {
    package let topic: String
    package let payload: [UInt8]
    /// Whether the server had kept it.
    package let isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

/// Something about the server that an administrator should know.
package enum LinkNotice: Sendable {
    /// The server speaks MQTT 3.1.1 only.
    case formerVersion
    /// The server does not allow a subscription.
    case denied
    /// The server keeps no messages.
    case retainsNothing
}

/// How a connection ended, or why there was none.
package struct LinkEnd: Equatable, Sendable {
    /// What kind of end it was.
    package enum Cause: Equatable, Sendable {
        /// Nobody was there.
        case absent
        /// The settings cannot be used; the exit status of a program that ends with that.
        case unusable(ExitStatus)
        /// The server does not accept the user, the password or the certificate.
        case credentials
        /// The server does not allow a subscription.
        case subscription
        /// The connection ended in any other way.
        case ended
    }

    package let words: String
    package let cause: Cause
    /// The reason that the server gave for an end.
    package let refusal: Refusal?
    /// Whether another client seems to have the same identifier.
    package let isTwin: Bool

    /// The exit status of a program that gives up.
    package var status: ExitStatus {
        switch cause {
        case .absent, .ended: .unavailable
        case .unusable(let status): status
        case .credentials, .subscription: .notPermitted
        }
    }
}
