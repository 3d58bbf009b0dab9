internal import BrokerClient
internal import Fleet
internal import Glibc
internal import Platform
internal import Printable
internal import Varlink

/// The stream of one resource from the broker, whatever becomes of the broker.
///
/// Each has a connection of its own, so that a resource that is missing costs the others nothing.
final class Subscription {
    /// The broker's answer to what it was asked for.
    enum Answer {
        case granted(Cadence)
        case refused(String)
    }

    private let wanted: WantedReading
    private let standing: StandingCall
    private let dial: BrokerDialer
    /// What the stream is to have, and what it has been asked for; nil: the broker may not have received that.
    private var cadence: Cadence
    private var asked: Cadence?
    private var limit = BatchLimit()
    /// When a change may be asked for.
    private var changeDue = Int64.min
    /// The subscription's name, for changes; nil until the broker has sent it.
    private var name: String?
    private var modification: Modification?
    private var answers: [Answer] = []
    /// The newest reply with readings since it was last taken, as the broker wrote it: few want to read it.
    private var newest: [UInt8]?
    /// What is known of the stream.
    private var account: SubscriptionAccount
    /// Whether what the broker has gathered was asked for, since the program ends, and has come.
    private var isDrained: Bool?
    /// Why there is no stream, in words; nil while it runs.
    private(set) var complaint: String?

    /// How long what was measured before the stream began may be on its way.
    private static let patienceNanoseconds = 2 * Nanoseconds.second

    /// A stream; `missing` is what was not read before this program began.
    init(_ wanted: WantedReading, missing: BridgeGap? = nil, paths: [String], dial: @escaping BrokerDialer) {
        self.wanted = wanted
        account = SubscriptionAccount(wanted.resource, missing: missing)
        self.dial = dial
        cadence = Cadence(wanted)
        standing = StandingCall(Self.call(wanted, cadence), paths: paths, dial: dial)
        asked = cadence
    }

    /// The descriptor to wait for; nil if there is no connection.
    var number: Int32? { standing.number }

    func isDue(_ now: Int64) -> Bool { standing.isDue(now) }

    /// When to connect, to ask for a change, or to report a gap; nil if nothing is to come.
    var deadline: Int64? {
        [standing.retryNanoseconds, needsChange ? changeDue : nil, account.deadline].compactMap(\.self).min()
    }

    /// What is asked for: what it is to have, as far as the server takes it.
    private var fitted: Cadence { limit.applied(to: cadence) }

    private var needsChange: Bool { fitted != asked && name != nil && modification == nil }

    private static func request(_ wanted: WantedReading, _ cadence: Cadence) -> Request {
        var request = Request(resource: wanted.resource)
        request.intervalNanoseconds = cadence.intervalNanoseconds
        request.batchNanoseconds = cadence.batchNanoseconds
        if wanted.isMean { request.filter = "mean" }
        return request
    }

    private static func call(_ wanted: WantedReading, _ cadence: Cadence) -> Call {
        Call(Interface.subscribe, parameters: ["requests": .array([request(wanted, cadence).json])], mode: .more)
    }

    /// Connects, and asks for readings; the descriptor to wait for, nil if there is no connection.
    func connect(_ now: Int64) -> Int32? {
        asked = fitted
        standing.call = Self.call(wanted, fitted)
        do throws(ConnectRefusal) { return try standing.connect(now) } catch {
            complaint =
                switch error.error.code {
                case EACCES: "\(error): only members of the group sensorbroker may connect"
                case ENOENT, ECONNREFUSED:
                    "there is no broker at \(error.path.printable): start it ('sensorctl doctor' says how)"
                default: "\(error)"
                }
            account.end(now)
            return nil
        }
    }

    /// Takes what has arrived, as members of objects.
    func receive(_ now: Int64) -> [[UInt8]] {
        var objects: [[UInt8]] = []
        do throws(ConnectionFault) {
            try standing.receive()
            while let message = try standing.nextMessage() {
                if let members = Wire.members(handingOn: message) {
                    didAnswer()
                    if let gap = account.take(message, now) { objects.append(gap) }
                    objects.append(members)
                    // The broker writes readings first.
                    if members.starts(with: "\"readings\"".utf8) { newest = message }
                    continue
                }
                switch try Reply(of: message) {
                case .success(let parameters, let continues):
                    didAnswer()
                    if let gap = account.take(message, now, with: parameters.object) { objects.append(gap) }
                    if let members = Wire.members(of: parameters.object) { objects.append(members) }
                    learn(from: parameters.object)
                    if parameters.object["readings"] != nil { newest = message }
                    if continues { continue }
                    let reason = try? parameters.optionalString("ended")
                    end("the broker ended the stream\(reason.map { " (\($0))" } ?? "")", now)
                case .failure(let error):
                    answers.append(.refused(Self.words(error, wanted.resource)))
                    end(Self.words(error, wanted.resource), now)
                }
                return objects
            }
        } catch {
            end("the broker closed the connection", now)
        }
        return objects
    }

    /// A gap that is due, since no reading has ended it.
    func overdueGap(_ now: Int64) -> [UInt8]? {
        account.overdue(now, patienceNanoseconds: Self.patienceNanoseconds + (cadence.batchNanoseconds ?? 0))
    }

    /// What a stream begins with, and changes to.
    private func learn(from reply: JSONObject) {
        name = reply.string("subscription") ?? name
        guard let granted = Cadence(grantedIn: Parameters(reply)) else { return }
        answers.append(.granted(granted))
        if granted.batchNanoseconds == 0, isDrained == false { isDrained = true }
    }

    private func didAnswer() {
        complaint = nil
        standing.didAnswer()
    }

    private func end(_ reason: String, _ now: Int64) {
        standing.end(now)
        (name, modification) = (nil, nil)
        complaint = reason
        account.end(now)
    }

    /// The newest reading since the last call.
    func takeNewest() -> JSONObject? {
        defer { newest = nil }
        guard let newest, case .success(let parameters, _)? = try? Reply(parsing: newest) else { return nil }
        return parameters.object.objects("readings").last
    }

    // MARK: Ending

    /// The program ends: asks the broker for what it has gathered so far.
    func drain() {
        guard isDrained == nil, number != nil, name != nil, cadence.batchNanoseconds ?? 0 > 0 else { return }
        isDrained = false
        (cadence.batchNanoseconds, changeDue) = (0, .min)
    }

    /// Whether nothing more is to come of that.
    var hasDrained: Bool { isDrained ?? true || number == nil }

    // MARK: Changing it

    /// From now on it is to have this; whether there is a stream that can be changed.
    func change(to cadence: Cadence) -> Bool {
        (self.cadence, asked) = (cadence, nil)
        return number != nil
    }

    /// A message has so many bytes, and the server takes at most some, as far as it is known: the length of the batches that are
    /// asked for from now on, nil if they do not become shorter.
    func fit(_ bytes: Int, within most: Int, isOnline: Bool, _ now: Int64) -> Int64? {
        guard asked == fitted else { return nil }
        // While nobody answers, nothing is learnt.
        if isOnline { limit.grow(most, wantedNanoseconds: cadence.batchNanoseconds, now) }
        guard limit.notice(bytes, most: most, batchNanoseconds: asked?.batchNanoseconds, now) else { return nil }
        return limit.nanoseconds
    }

    /// The broker's answers to what it was asked for, since the last call.
    func takeAnswers() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    /// Asks the broker for a change that is due; the descriptor to wait for, if there is one.
    func modify(_ now: Int64) -> Int32? {
        guard needsChange, now >= changeDue, let name, let path = standing.path else { return nil }
        // A broker that cannot be reached now is asked again.
        changeDue = now + Nanoseconds.second
        modification = try? Modification(
            Self.request(wanted, fitted), of: name, to: fitted, on: dial(path))
        asked = modification?.cadence
        return modification?.number
    }

    /// Takes the broker's answer to a change.
    func receiveChange() {
        guard let outcome = modification?.receive() else { return }
        modification = nil
        switch outcome {
        case .granted(let cadence?): answers.append(.granted(cadence))
        case .granted(nil): break
        case .lost where isDrained == false: isDrained = true
        case .lost: asked = nil
        case .refused(let error): answers.append(.refused(Self.words(error, wanted.resource)))
        }
    }

    private static func words(_ error: VarlinkError, _ resource: String) -> String {
        switch error.name {
        case Interface.error("NoSuchResource"):
            "there is no resource \(resource): those of this host are listed by sensorctl list"
        case "org.varlink.service.PermissionDenied":
            "the broker does not allow this program to read \(resource): see Groups= in sensorbrokerd.conf(5)"
        default: "the broker refuses \(resource): \(error.name)"
        }
    }
}
