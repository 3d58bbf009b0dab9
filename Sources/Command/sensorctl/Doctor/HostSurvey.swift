internal import BrokerClient
internal import Glibc
internal import Platform
internal import Programs
internal import Varlink

/// Collects what a diagnosis needs, without judging it.
struct HostSurvey {
    let broker: Broker

    func view() -> HostView {
        let path = broker.paths.first { unsafe access($0, F_OK) == 0 } ?? broker.paths.first ?? ""
        var view = HostView(socket: SocketView(path: path, answer: .missing))
        view.name = broker.service
        view.isService =
            path == SocketPath.candidates(named: nil, instance: broker.instance, userRuntimeDirectory: nil).first
        view.socket.owner = SocketOwner(of: path)
        if view.isService {
            (view.manager, view.service, view.listeners) = UnitSurvey.views(of: view.name)
        } else if !UnitSurvey.isSystemdRunning {
            view.manager = .absent
        }
        if view.service?.active == "failed" {
            view.socket.answer = .untried
        } else {
            (view.socket.answer, view.resources) = answer(at: path)
            if view.socket.answer == .answers { view.calibrated = calibrated(at: path) }
        }
        view.user = UserSurvey.view()
        view.configuration = ConfigurationSurvey.view(of: view.name)
        view.hasBus = unsafe access("/sys/bus/iio", F_OK) == 0
        view.sensors = SensorSurvey.views()
        view.chips = ChipSurvey.views()
        if view.isService {
            view.desktop = DesktopSurvey.view()
            if broker.instance == nil { view.fleet = FleetSurvey.view() }
        }
        // A broker that simulates its devices does not use gpsd.
        if !view.resources.contains(where: { $0.name == "location" && $0.simulated }) {
            let configured = view.configuration ?? ConfigurationView()
            view.gpsd = GpsdSurvey.view(at: GpsdSurvey.address(missedBy: view.resources) ?? configured.gpsd)
            if case .unreachable? = view.gpsd?.answer {
                view.gpsdIsMasked = UnitSurvey.isMasked(["gpsd.socket", "gpsd.service"])
            }
        }
        if let context = view.configuration?.context, context.hasPrefix("ip:"),
            !view.resources.contains(where: \.simulated)
        {
            view.iiod = IiodSurvey.view(at: context)
        }
        return view
    }

    /// The resources that are calibrated; nil if this user may not know.
    private func calibrated(at path: String) -> Set<String>? {
        guard let answer = try? tried(path).admin().call(AdminInterface.getCalibrations),
            let all = try? answer.objects("calibrations")
        else { return nil }
        return Set(all.compactMap { try? $0.optionalString("resource") })
    }

    /// The broker at that path alone.
    private func tried(_ path: String) -> Broker {
        Broker(paths: [path], instance: broker.instance, timeoutNanoseconds: broker.timeoutNanoseconds)
    }

    private func answer(at path: String) -> (SocketView.Answer, [Resource]) {
        do { _ = try BrokerConnection(path: path, patienceNanoseconds: broker.timeoutNanoseconds) } catch {
            switch error.code {
            case EAGAIN: return (.mute, [])
            case ENOENT: return (.missing, [])
            case ECONNREFUSED: return (.refused, [])
            case EACCES, EPERM: return (.denied, [])
            default: return (.failed("\(error)"), [])
            }
        }
        do throws(Failure) {
            return (.answers, try tried(path).resources())
        } catch  where error.status == .timedOut {
            return (.mute, [])
        } catch { return (.failed(error.message ?? "it does not answer"), []) }
    }
}

/// The facts that `doctor` finds out about a host.
///
/// Nil means that something could not be found out.
struct HostView: Equatable {
    /// The socket that was tried, and the result.
    var socket: SocketView
    /// Whether the socket is the host's service's, and not that of a broker that a user started.
    var isService = true
    var name = ServiceName(instance: nil)
    /// Whether systemd runs, and answers.
    var manager = ManagerView.answers
    /// The service; nil if systemd reports nothing about it.
    var service: UnitView?
    /// The socket units of the service.
    var listeners: [String: UnitView] = [:]
    /// The user who asks.
    var user = UserView()
    /// The configuration; nil if the daemon's program is not found.
    var configuration: ConfigurationView?
    /// The resources, as the broker reports them.
    var resources: [Resource] = []
    /// Those of them that are calibrated; nil if that is not known.
    var calibrated: Set<String>?
    /// The gpsd that the broker misses or, if it misses none, is configured to use.
    var gpsd: ServiceView?
    /// Whether this host's gpsd may not be started.
    var gpsdIsMasked = false
    /// The iiod that the broker is configured to use; nil if the sensors are this host's own.
    var iiod: ServiceView?
    var hasBus = true
    var sensors: [SensorView] = []
    /// The sensors on its I²C buses that have no driver.
    var chips: [ChipView] = []
    /// The programs of the desktop, if the broker is that of the host.
    var desktop = DesktopView()
    /// The bridge to a fleet's server, if it is installed.
    var fleet: FleetView?
}

/// The result of connecting to a socket.
struct SocketView: Equatable {
    enum Answer: Equatable {
        /// The socket was not tried: connecting would start a service again that cannot start.
        case untried
        case answers
        /// There is no such file.
        case missing
        /// Nobody listens there.
        case refused
        /// The user may not use it.
        case denied
        /// A process listens, but does not answer within the timeout.
        case mute
        /// Another error, in words.
        case failed(String)
    }

    var path: String
    var answer: Answer
    /// Who may use it.
    var owner = SocketOwner()
}
