internal import Fleet
internal import Programs

extension FleetSettings {
    /// What `make generated` writes of the settings.
    static var files: [GeneratedFile] {
        let pages = SettingPages<Self>()
        return [
            GeneratedFile("docs/mqtt/sensorbroker-mqtt.conf", pages.example(head: head)),
            GeneratedFile(
                GeneratedParts(
                    "docs/mqtt/sensorbroker-mqtt.conf.5", comment: ".\\\"", parts: [("settings", pages.manual)])),
        ]
    }

    private static let head = """
        /etc/sensorbroker/sensorbroker-mqtt.conf: what sensorbroker-mqtt sends, and where.

        Each setting shows its default, or an example if there is no default; remove the # to change it.
        Settings can also be in separate files, /etc/sensorbroker/sensorbroker-mqtt.conf.d/*.conf.

          sensorbroker-mqtt --check-config              prints every error, or the settings in force
          systemctl enable --now sensorbroker-mqtt      starts it

        For details, see man sensorbroker-mqtt.conf
        """
}
