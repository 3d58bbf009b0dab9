/// `sensorctl reload`: has the broker read its configuration again.
struct ReloadCommand {
    func run(_ broker: Broker) throws(Failure) { _ = try broker.admin().call(AdminInterface.reload) }
}
