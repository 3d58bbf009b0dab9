internal import BrokerClient
internal import Glibc
internal import Platform

/// Looks at the host, and judges nothing.
struct HostSurvey {
    let broker: Broker

    /// Everything that a diagnosis needs.
    func view() -> HostView {
        let path = broker.paths.first { unsafe access($0, F_OK) == 0 } ?? broker.paths.first ?? ""
        var view = HostView(socket: SocketView(path: path, answer: .missing))
        view.name = broker.service
        view.isService =
            path == SocketPath.candidates(named: nil, instance: broker.instance, userRuntimeDirectory: nil).first
        if view.isService { (view.manager, view.service, view.listeners) = UnitSurvey.views(of: view.name) }
        if view.service?.active == "failed" {
            view.socket.answer = .untried
        } else {
            (view.socket.answer, view.resources) = answer(at: path)
        }
        view.user = UserSurvey.view()
        view.configuration = ConfigurationSurvey.view(of: view.name)
        view.hasBus = unsafe access("/sys/bus/iio", F_OK) == 0
        view.accelerometers = AccelerometerSurvey.views()
        // One that simulates all has no use for it.
        if !view.resources.contains(where: { $0.name == "location" && $0.isSimulated }) {
            (view.gpsdPlace, view.gpsd) = GpsdSurvey.view(at: view.configuration?.gpsd ?? "localhost:2947")
        }
        if let context = view.configuration?.context, context.hasPrefix("ip:"),
            !view.resources.contains(where: \.isSimulated)
        {
            (view.iiodPlace, view.iiod) = IiodSurvey.view(at: String(context.dropFirst(3)))
        }
        return view
    }

    private func answer(at path: String) -> (SocketView.Answer, [ResourceView]) {
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
            let tried = Broker(
                paths: [path], instance: broker.instance, timeoutNanoseconds: broker.timeoutNanoseconds)
            let resources = try tried.resources()
            return (
                .answers,
                resources.map {
                    ResourceView(name: $0.name, state: $0.state, reason: $0.reason, isSimulated: $0.simulated)
                }
            )
        } catch  where error.status == .timedOut {
            return (.mute, [])
        } catch { return (.failed(error.message ?? "it does not answer"), []) }
    }
}
