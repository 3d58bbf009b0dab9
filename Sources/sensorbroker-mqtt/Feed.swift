internal import BrokerClient
internal import Configuration
internal import Fleet
internal import Glibc
internal import Platform
internal import Varlink

/// The stream of one resource from the broker, whatever becomes of the broker.
///
/// Each has a connection of its own, so that a resource that is missing costs the others nothing.
final class Feed {
    /// What the broker says to what it was asked for.
    enum Answer {
        case granted(Cadence)
        case refused(String)
    }

    private let wanted: WantedReading
    private let paths: [String]
    private let dial: BrokerDialer
    private var stream: (any BrokerStream)?
    /// Where the stream's broker is.
    private var path: String?
    /// What it is to have, and what it has been asked for; nil: the broker may not have heard it.
    private var cadence: Cadence
    private var asked: Cadence?
    private var limit = BatchLimit()
    /// When a change may be asked for.
    private var changeDue = Int64.min
    /// Its name, for changes; nil until the broker has told it.
    private var subscription: String?
    private var modification: Modification?
    private var answers: [Answer] = []
    /// The newest reply with readings since it was last taken, as the broker wrote it: few want to read it.
    private var newest: [UInt8]?
    private var retryAt: Int64 = 0
    private var failures = 0
    /// Since when readings are missing that no gap of the broker tells; nil while the stream runs.
    private var missingSince: Int64?
    /// Why there is no stream, in words; nil while it runs.
    private(set) var complaint: String?

    private static let second: Int64 = 1_000_000_000

    init(_ wanted: WantedReading, paths: [String], dial: @escaping BrokerDialer) {
        self.wanted = wanted
        self.paths = paths
        self.dial = dial
        cadence = Cadence(wanted)
        asked = cadence
    }

    /// The descriptor to wait for; nil if there is no connection.
    var number: Int32? { stream?.number }

    /// Whether it is time to connect.
    func isDue(_ now: Int64) -> Bool { number == nil && now >= retryAt }

    /// When to connect, or to ask for a change; nil if neither is to come.
    var deadline: Int64? {
        guard number != nil else { return retryAt }
        return needsChange ? changeDue : nil
    }

    /// What is asked for: what it is to have, as far as the server takes it.
    private var fitted: Cadence { limit.applied(to: cadence) }

    private var needsChange: Bool { fitted != asked && subscription != nil && modification == nil }

    private var request: Request {
        var request = Request(resource: wanted.resource)
        request.intervalNanoseconds = fitted.intervalNanoseconds
        request.batchNanoseconds = fitted.batchNanoseconds
        if wanted.isMean { request.filter = "mean" }
        return request
    }

    /// Connects, and asks for readings; whether there is a connection.
    func connect(_ now: Int64) -> Bool {
        asked = fitted
        let call = Call(Interface.subscribe, parameters: ["requests": .array([request.json])], mode: .more)
        var failure = "there is no broker: start it with systemctl start sensorbrokerd.socket"
        for path in paths {
            do {
                let stream = try dial(path)
                try stream.send(call)
                (self.stream, self.path) = (stream, path)
                return true
            } catch let error as SystemError {
                if error.code == EACCES {
                    failure = "\(error): only members of the group sensorbroker may connect"
                }
            } catch {
                failure = "the broker closed the connection"
            }
        }
        end(failure, now)
        return false
    }

    /// Takes what has arrived, as members of objects; nil if the stream has ended.
    func receive(_ now: Int64) -> [[UInt8]]? {
        var objects: [[UInt8]] = []
        do throws(ConnectionFault) {
            try stream?.receive()
            while let message = try stream?.nextMessage() {
                if let members = Wire.members(handingOn: message) {
                    objects += take(members, now)
                    // The broker writes readings first.
                    if members.starts(with: "\"readings\"".utf8) { newest = message }
                    continue
                }
                let reply: Reply
                do { reply = try Reply(parsing: message) } catch { throw .unintelligible("\(error)") }
                switch reply {
                case .success(let parameters, let continues):
                    objects += take(Wire.members(of: parameters.object), now)
                    learn(from: parameters.object)
                    if parameters.object["readings"] != nil { newest = message }
                    if continues { continue }
                    let reason = try? parameters.optionalString("ended")
                    end("the broker ended the stream\(reason.map { " (\($0))" } ?? "")", now)
                case .failure(let error):
                    answers.append(.refused(Self.words(error, wanted.resource)))
                    end(Self.words(error, wanted.resource), now)
                }
                return objects.isEmpty ? nil : objects
            }
        } catch {
            end("the broker closed the connection", now)
        }
        return objects
    }

    private func take(_ members: [UInt8]?, _ now: Int64) -> [[UInt8]] {
        var objects: [[UInt8]] = []
        if let since = missingSince, number != nil {
            objects.append(Wire.gap(of: wanted.resource, from: since, until: now))
        }
        (missingSince, complaint, failures) = (nil, nil, 0)
        if let members { objects.append(members) }
        return objects
    }

    /// What a stream begins with, and changes to.
    private func learn(from reply: JSONObject) {
        if case .string(let name)? = reply["subscription"] { subscription = name }
        if let granted = Cadence.granted(in: reply) { answers.append(.granted(granted)) }
    }

    private func end(_ reason: String, _ now: Int64) {
        stream = nil
        (subscription, modification) = (nil, nil)
        complaint = reason
        missingSince = missingSince ?? now
        retryAt = now + min(5 * Self.second, 250_000_000 << Int64(min(failures, 8)))
        failures += 1
    }

    /// The newest reading since the last call.
    func takeNewest() -> JSONObject? {
        defer { newest = nil }
        guard let newest, case .success(let parameters, _)? = try? Reply(parsing: newest),
            case .array(let readings)? = parameters.object["readings"], case .object(let reading)? = readings.last
        else { return nil }
        return reading
    }

    // MARK: Changing it

    /// From now on it is to have this; whether there is a stream that can be changed.
    func change(to cadence: Cadence) -> Bool {
        (self.cadence, asked) = (cadence, nil)
        return number != nil
    }

    /// A message has so many bytes, and the server takes at most some: the length of the batches that are asked for from now
    /// on, nil if nothing changes.
    func fit(_ bytes: Int, within most: Int, _ now: Int64) -> Int64? {
        guard asked == fitted, limit.notice(bytes, most: most, batchNanoseconds: asked?.batchNanoseconds, now)
        else { return nil }
        return limit.nanoseconds
    }

    /// What the broker said to what it was asked for, since the last call.
    func takeAnswers() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    /// Asks the broker for a change that is due; the descriptor to wait for, if there is one.
    func modify(_ now: Int64) -> Int32? {
        guard needsChange, now >= changeDue, let subscription, let path else { return nil }
        // A broker that cannot be reached now is asked again.
        changeDue = now + Self.second
        modification = try? Modification(request, of: subscription, to: fitted, on: dial(path))
        asked = modification?.cadence
        return modification?.number
    }

    /// Takes what the broker says to a change.
    func receiveChange() {
        guard let outcome = modification?.receive() else { return }
        modification = nil
        switch outcome {
        case .granted(let cadence?): answers.append(.granted(cadence))
        case .granted(nil): break
        case .lost: asked = nil
        case .refused(let error): answers.append(.refused(Self.words(error, wanted.resource)))
        }
    }

    private static func words(_ error: VarlinkError, _ resource: String) -> String {
        switch error.name {
        case Interface.error("NoSuchResource"):
            "there is no resource \(resource): those of this host are listed by sensorctl list"
        case "org.varlink.service.PermissionDenied":
            "the broker does not allow this program to read \(resource): see ReadGroups= in sensorbrokerd.conf(5)"
        default: "the broker refuses \(resource): \(error.name)"
        }
    }
}
