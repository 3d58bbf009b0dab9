internal import Programs

extension Settings {
    /// What `make generated` writes of the settings.
    static var files: [GeneratedFile] {
        let pages = SettingPages<Self>()
        return [
            GeneratedFile("docs/sensorbrokerd.conf", pages.example(head: head)),
            GeneratedFile(
                GeneratedParts(
                    "docs/man/sensorbrokerd.conf.5", comment: ".\\\"", parts: [("settings", pages.manual)])),
            GeneratedFile(
                GeneratedParts(
                    "docs/configuration.md", comment: "<!--", " -->", parts: [("settings", pages.markdown)])),
        ]
    }

    private static let head = """
        /etc/sensorbroker/sensorbrokerd.conf: the configuration of sensorbrokerd.

        Each setting shows its default, or an example if there is no default; remove the # to change it. None is necessary.
        Settings can also be in separate files, /etc/sensorbroker/sensorbrokerd.conf.d/*.conf.

          sensorbrokerd --check-config    prints every error, or the settings in force with the lines that set them
          systemctl reload sensorbrokerd  makes the daemon read it again, without a restart

        For details, see man sensorbrokerd.conf
        """
}
