// swift-tools-version: 6.2
import PackageDescription

// Programs that libFuzzer feeds: `make fuzz SECONDS=60`. A package of its own, because what is to be fuzzed has to be compiled
// with coverage; the sources are those of the product.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let covered: [SwiftSetting] = strict + [.unsafeFlags(["-sanitize=fuzzer", "-parse-as-library", "-enable-testing"])]

func fuzzed(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: covered)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + ["Fuzzing"], swiftSettings: covered,
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])])
}

let package = Package(
    name: "Fuzz",
    targets: [
        .systemLibrary(name: "CGps", path: "CGps", pkgConfig: "libgps"),
        .systemLibrary(name: "CIio", path: "CIio", pkgConfig: "libiio"),
        .systemLibrary(name: "CLinux", path: "CLinux"),
        .systemLibrary(name: "CMosquitto", path: "CMosquitto", pkgConfig: "libmosquitto"),
        .target(name: "SensorValues", swiftSettings: strict),
        .target(name: "Readings", dependencies: ["SensorValues"], swiftSettings: strict),
        .target(name: "Locking", swiftSettings: strict),
        .target(name: "Printable", swiftSettings: strict),
        .target(name: "Timing", swiftSettings: strict),
        .target(name: "Platform", dependencies: ["CLinux", "Locking", "Printable", "Timing"], swiftSettings: strict),
        .target(name: "Devices", dependencies: ["Printable", "Readings", "Platform"], swiftSettings: strict),
        fuzzed("Gpsd", ["CGps", "Devices", "Readings", "Platform"]),
        fuzzed("IIO", ["CIio", "Devices", "Readings", "Platform"]),
        fuzzed("Delivery", ["Readings"]),
        fuzzed("Admission", ["Readings"]),
        fuzzed(
            "Varlink", ["Printable"],
            resources: [
                .embedInCode("Interfaces/io.sensorbroker.Admin.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Broker.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Feed.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Mock.varlink"),
                .embedInCode("Interfaces/io.systemd.Metrics.varlink"),
                .embedInCode("Interfaces/org.varlink.service.varlink"),
            ]),
        fuzzed("Configuration", ["Printable"]),
        fuzzed("Spool", []),
        .target(
            name: "Fleet", dependencies: ["Spool", "Varlink", "Configuration", "SensorValues", "Timing"],
            swiftSettings: strict),
        .target(name: "Programs", dependencies: ["Configuration", "Platform"], swiftSettings: strict),
        fuzzed("MQTT", ["Fleet", "Programs", "Platform", "CMosquitto"]),
        .target(name: "Motion", dependencies: ["SensorValues"], swiftSettings: strict),
        .target(
            name: "Mock",
            dependencies: ["Motion", "Configuration", "Varlink", "Devices", "Readings", "Platform"],
            swiftSettings: strict),
        fuzzed("BrokerClient", ["Varlink", "Readings", "Platform", "CLinux"]),
        fuzzed(
            "Service",
            [
                "Delivery", "Admission", "Motion", "BrokerClient", "Varlink", "Configuration", "Devices", "Readings",
                "Platform",
            ]),
        .target(
            name: "Simulation", dependencies: ["Mock", "Delivery", "Devices", "Readings"],
            exclude: ["mutate", "mutations"],
            swiftSettings: strict),

        // How each of the programs starts
        .target(name: "Fuzzing", swiftSettings: strict),
        program("fuzz-gpsd", ["Gpsd", "Readings"]),
        program("fuzz-iiod", ["IIO"]),
        program("fuzz-varlink", ["Varlink"]),
        program("fuzz-service", ["Service", "Varlink", "Configuration", "Devices", "Readings", "Platform", "CLinux"]),
        program("fuzz-spool", ["Spool"]),
        program("fuzz-connection", ["MQTT"]),
        program("fuzz-delivery", ["Simulation"]),
    ]
)
