internal import Varlink

/// `sensorctl reacquire`: takes back devices that were given up.
struct ReacquireCommand {
    let scope: ReleaseCommand.Scope
    let format: OutputFormat

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let answer = try broker.admin().call(AdminInterface.reacquire, scope.parameters)
        let names = try understand { () throws(VarlinkError) in try answer.strings("reacquired") }
        try NamesFormat.print(names, "reacquired", answer, format, terminal)
        if names.isEmpty { terminal.note("sensorctl: nothing of that was given up") }
    }
}
