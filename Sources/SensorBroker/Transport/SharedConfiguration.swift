internal import Platform

/// How the shared broker is to be made; taken once, when it is.
enum SharedConfiguration {
    private enum State {
        case environment
        case configured(Configuration)
        case taken
    }

    private static let state = Locked(State.environment)

    /// False where it was taken already.
    static func put(_ configuration: Configuration) -> Bool {
        state.withLock { state in
            if case .taken = state { return false }
            state = .configured(configuration)
            return true
        }
    }

    static func take() -> Configuration {
        state.withLock { state in
            defer { state = .taken }
            if case .configured(let configuration) = state { return configuration }
            return .environment
        }
    }
}
