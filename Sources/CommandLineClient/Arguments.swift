internal import BrokerClient

/// What the command line asks for, and of which broker.
struct Arguments {
    /// What to do.
    let action: any Action
    /// The broker's socket, if one is named.
    let socket: String?
    /// The broker's instance, if one is named.
    let instance: String?
    /// How long a call of the broker may take.
    let timeoutNanoseconds: Int64

    /// The arguments, without the program's name.
    init(_ words: [String]) throws(UsageError) {
        let invocation = try Invocation(words)
        socket = invocation.options[.socket]
        instance = try invocation.options[.instance].map { name throws(UsageError) in
            guard SocketPath.isInstance(name) else {
                throw UsageError("--instance takes up to 32 lower-case letters, digits and '-', not '\(name)'")
            }
            return name
        }
        timeoutNanoseconds =
            try invocation.options[.timeout].map { text throws(UsageError) in try TimeWords.positive(text, .timeout) }
            ?? Broker.usualTimeoutNanoseconds
        action = try invocation.command.action(invocation)
    }
}
