// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One set of rules for every target: Swift 6 mode, every unsafe expression is marked, and an import is private to its file unless
// it says otherwise. The order of the targets is the order in which a reading flows.
//
// The project's own checks let no warning survive. Where it is built for use, a warning of a newer compiler or library stops nobody.
let warnings: [SwiftSetting] =
    Context.environment["SENSORBROKER_WARNINGS"] == "errors" ? [.treatAllWarnings(as: .error)] : []
let strict: [SwiftSetting] =
    warnings + [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

/// The floors of the house: the folders of Sources, and of Tests. A room imports rooms of its own floor and of those that its floor
/// may know.
enum Floor: String {
    case ground = "Ground"
    case devices = "Devices"
    case broker = "Broker"
    case command = "Command"
    case library = "Library"
    case desktop = "Desktop"
    case fleet = "Fleet"
}

/// Whose sources lie in `Sources`, or in `Tests`.
enum Side: String {
    case sources = "Sources"
    case tests = "Tests"
}

func library(
    _ name: String, _ floor: Floor, _ dependencies: [Target.Dependency] = [], in side: Side = .sources,
    exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "\(side.rawValue)/\(floor.rawValue)/\(name)", exclude: exclude,
        resources: resources, swiftSettings: strict)
}

// The toolchain's own linker and packed relocations save each process 0.4 MB of memory. The part of libstdc++ that Swift's
// runtime needs (CLinux/static), instead of all of it, saves 0.8 MB more, but not in the daemon: libiio brings all of it there.
let compact = [
    "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-L\(Context.packageDirectory)/CLinux/static",
]

func program(_ name: String, _ floor: Floor, _ dependencies: [Target.Dependency], in side: Side = .sources) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "\(side.rawValue)/\(floor.rawValue)/\(name)",
        swiftSettings: strict,
        linkerSettings: [
            .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"]),
            .unsafeFlags(compact, .when(configuration: .release)),
        ])
}

func tests(_ name: String, _ floor: Floor, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(floor.rawValue)/\(name)", swiftSettings: strict)
}

let package = Package(
    name: "SensorBroker",
    products: [
        .executable(name: "sensorbrokerd", targets: ["sensorbrokerd"]),
        .executable(name: "sensorctl", targets: ["sensorctl"]),
        .executable(name: "sensorbroker-desktop", targets: ["sensorbroker-desktop"]),
        .executable(name: "sensorbroker-mqtt", targets: ["sensorbroker-mqtt"]),
        .executable(name: "sensorbroker-fleet", targets: ["sensorbroker-fleet"]),
        .library(name: "SensorBroker", targets: ["SensorBroker"]),
        .library(name: "SensorServices", targets: ["SensorServices"]),
        // Products of their own, since only some targets of a program should carry them: its tests, say, and not the program. A trait
        // of the package would hold for all targets of all packages that a program is built from.
        .library(name: "SensorBrokerSimulation", targets: ["SensorBrokerSimulation"]),
        .library(name: "SensorBrokerTesting", targets: ["SensorBrokerTesting"]),
        .library(name: "SensorBrokerTestTraits", targets: ["SensorBrokerTestTraits"]),
    ],
    targets: [
        // C, each behind a header of inline adapters
        // Without pkg-config, which adds flags that a package may not have; the header sets what they would.
        .systemLibrary(name: "CCurses", path: "CCurses", providers: [.apt(["libncurses-dev"])]),
        .systemLibrary(name: "CExpat", path: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CGps", path: "CGps", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CIio", path: "CIio", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
        .systemLibrary(name: "CLinux", path: "CLinux"),
        .systemLibrary(
            name: "CMosquitto", path: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(
            name: "CSystemd", path: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CZstd", path: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

        // Values and kinds of sensors, what devices yield, a lock, Linux, other programs' files, configuration as text
        library("SensorValues", .ground),
        library("Readings", .ground, ["SensorValues"]),
        library("Locking", .ground),
        // Text from outside, made safe for terminals and logs
        library("Printable", .ground),
        library("Platform", .ground, ["CLinux", "Locking", "Printable"]),
        library("Formats", .ground, ["Printable", "Readings"]),
        library("GPX", .ground, ["CExpat", "Formats", "Readings"]),
        library("Configuration", .ground, ["Printable"]),
        library("Compression", .ground, ["CZstd"]),

        // From a device to samples
        library("Devices", .devices, ["Printable", "Readings", "Platform"]),
        library("Gpsd", .devices, ["CGps", "Devices", "Readings", "Platform"]),
        library("IIO", .devices, ["CIio", "Devices", "Readings", "Platform"]),
        library("Mock", .devices, ["Configuration", "Devices", "Readings", "Platform"]),
        library(
            "Scenarios", .devices, ["Mock", "Formats", "Configuration", "Devices", "Readings", "Platform"],
            resources: [
                "city-drive", "drone-imu", "flaky-cable", "hand-held", "indoor", "laptop", "phone", "quadcopter",
                "weather-station",
            ].map { .embedInCode("Shipped/\($0).scenario") }),

        // From samples to clients: pure decisions, then calls as bytes, then the sockets
        library("Delivery", .broker, ["Readings"]),
        // Who may have how much, and who may read what: pure
        library("Admission", .broker, ["Readings"]),
        library(
            "Varlink", .ground, ["Printable"],
            resources: [
                .embedInCode("Interfaces/io.sensorbroker.Admin.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Broker.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Mock.varlink"),
                .embedInCode("Interfaces/io.systemd.Metrics.varlink"),
                .embedInCode("Interfaces/org.varlink.service.varlink"),
            ]),
        library(
            "Service", .broker,
            ["Mock", "Delivery", "Admission", "Varlink", "Configuration", "Devices", "Readings", "Platform"]),

        // The client's end of the socket, and what a client recorded, as a device
        library("BrokerClient", .ground, ["Varlink", "Readings", "Platform", "CLinux"]),
        library("Replay", .devices, ["BrokerClient", "Varlink", "Devices", "Readings", "Platform"]),
        // What a recording looks like, as a page and as drawings: pure
        library(
            "Reports", .command, ["Formats", "Varlink", "Readings"],
            resources: [
                "page.css", "data.js", "axis.js", "pen.js", "chart.js", "map.js", "spectrum.js", "pictures.js",
                "page.js",
            ].map {
                .embedInCode("Page/\($0)")
            }),

        // Messages on their way to a server of a fleet: on the disk, and in which order they leave. Both pure
        library("Spool", .fleet),
        library("Fleet", .fleet, ["Spool", "Varlink", "Configuration", "SensorValues"]),
        // A connection to such a server, and where its settings and files are
        library("MQTT", .fleet, ["Fleet", "Configuration", "Platform", "CMosquitto"]),

        // What is installed: the daemon, the command, the Swift library
        program(
            "sensorbrokerd", .broker,
            [
                "Service", "Gpsd", "IIO", "Mock", "Scenarios", "Replay", "Admission", "Delivery", "Devices",
                "Compression", "Configuration", "Formats", "GPX", "Readings", "Platform", "CSystemd",
            ]),
        program(
            "sensorctl", .command,
            [
                "BrokerClient", "Replay", "Reports", "Mock", "Varlink", "Configuration", "Compression", "Formats",
                "GPX",
                "Readings", "Platform", "Printable", "Locking", "CLinux", "CCurses",
            ]),
        // The desktop's interfaces, D-Bus and NMEA: an ordinary client of the broker
        program(
            "sensorbroker-desktop", .desktop,
            ["BrokerClient", "Varlink", "Formats", "Readings", "Platform", "Printable", "CSystemd"]),
        program(
            "sensorbroker-mqtt", .fleet,
            ["MQTT", "Fleet", "Spool", "Compression", "BrokerClient", "Varlink", "Configuration", "Platform", "CLinux"]),
        // The consumer's side of a fleet; `sensorctl fleet` runs it, so that sensorctl needs no MQTT
        program(
            "sensorbroker-fleet", .fleet,
            [
                "MQTT", "Fleet", "Spool", "Compression", "BrokerClient", "Replay", "Varlink", "Configuration",
                "Formats",
                "Readings", "Platform", "Printable", "CLinux",
            ]),
        // Sensors and brokers as their users see them, of no system; the library itself, a client and nothing more; the daemon's
        // service with simulated devices, within a program; doubles for tests of users
        library("SensorServices", .library, ["SensorValues", "Locking"]),
        library(
            "SensorBroker", .library,
            ["BrokerClient", "Varlink", "SensorServices", "Locking", "Platform", "CLinux"]),
        library(
            "SensorBrokerSimulation", .library,
            [
                "SensorBroker", "Service", "Mock", "Scenarios", "Replay", "Configuration", "Devices", "Readings",
                "Locking", "Platform", "CLinux",
            ]),
        library("SensorBrokerTesting", .library, ["SensorServices", "Locking"]),
        // Imports Swift Testing, so only tests can link it; the doubles are also for previews and demonstrations.
        library("SensorBrokerTestTraits", .library, ["SensorBroker"]),

        // Instants, random numbers and directories, for tests
        library("TestTools", .ground, ["SensorValues"], in: .tests),
        tests("ReadingsTests", .ground, ["Readings", "SensorValues"]),
        tests("FormatsTests", .ground, ["Formats", "GPX", "Readings"]),
        tests("PrintableTests", .ground, ["Printable"]),
        tests("PlatformTests", .ground, ["Platform", "TestTools"]),
        tests("DevicesTests", .devices, ["Devices", "Readings", "Platform"]),
        // Programs that tests start beside them
        library("ChildPrograms", .ground, ["CLinux"], in: .tests),
        tests("GpsdTests", .devices, ["Gpsd", "ChildPrograms", "Devices", "Readings", "Platform"]),
        // Drives a real driver from the command line: for tests inside a namespace of their own, and for hands
        .executableTarget(
            name: "iio-probe", dependencies: ["IIO", "Devices", "Readings", "Platform"],
            path: "Tests/Devices/iio-probe", swiftSettings: strict),
        tests("IIOTests", .devices, ["IIO", "ChildPrograms", "Devices", "Readings", "Platform", "iio-probe"]),
        tests("MockTests", .devices, ["Mock", "TestTools", "Devices", "Readings", "Platform"]),
        tests(
            "ScenariosTests", .devices,
            ["Scenarios", "Mock", "Formats", "GPX", "Configuration", "Delivery", "Readings"]),
        tests("DeliveryTests", .broker, ["Delivery", "TestTools", "Readings", "Simulation"]),
        tests("AdmissionTests", .broker, ["Admission", "TestTools", "Readings"]),
        // The core of delivery in virtual time, with a device and clients that one seed decides
        library(
            "Simulation", .broker, ["Mock", "Delivery", "Devices", "Readings"], in: .tests,
            exclude: ["mutate", "mutations"]),
        program("simulate", .broker, ["Simulation"], in: .tests),
        tests("SimulationTests", .broker, ["Simulation", "Mock", "Readings"]),
        // Varlink's own test of implementations, to be served by test programs only
        library(
            "Certification", .ground, ["Varlink"], in: .tests,
            resources: [.embedInCode("org.varlink.certification.varlink")]),
        program(
            "certification-server", .broker, ["Certification", "Service", "Varlink", "Readings", "Platform"],
            in: .tests),
        program(
            "certification-client", .ground, ["BrokerClient", "Varlink", "Platform"], in: .tests),
        // What users of the library see, for the suite that compares the clients of all languages
        program("conform-swift", .library, ["SensorBroker", "Varlink"], in: .tests),
        tests("SpoolTests", .fleet, ["Spool"]),
        tests("FleetTests", .fleet, ["Fleet", "Spool", "Varlink", "Configuration", "SensorValues"]),
        tests("MQTTTests", .fleet, ["MQTT", "TestTools", "Fleet", "Configuration", "Platform"]),
        // The bridge and the consumer's side, with models of server and broker, on virtual time
        tests(
            "FleetProgramTests", .fleet,
            [
                "sensorbroker-mqtt", "sensorbroker-fleet", "TestTools", "MQTT", "Fleet", "Spool", "Compression",
                "BrokerClient", "Varlink", "Configuration", "Platform",
            ]),
        tests("VarlinkTests", .ground, ["Varlink", "TestTools", "Certification"]),
        tests("ConfigurationTests", .ground, ["Configuration"]),
        tests("CompressionTests", .ground, ["Compression"]),
        // A service that answers by a script, for tests of clients
        library("ScriptedService", .ground, ["Varlink", "Platform", "CLinux"], in: .tests),
        tests("BrokerClientTests", .ground, ["BrokerClient", "ScriptedService", "Readings", "Varlink", "Platform"]),
        tests(
            "SensorctlTests", .command,
            [
                "sensorctl", "BrokerClient", "Replay", "ScriptedService", "Varlink", "Compression", "Formats", "GPX",
                "Readings", "Platform", "CLinux",
            ]),
        tests("DesktopTests", .desktop, ["sensorbroker-desktop", "BrokerClient", "Varlink", "Readings"]),
        tests(
            "SensorBrokerTests", .library,
            [
                "SensorBroker", "SensorBrokerSimulation", "SensorBrokerTesting", "SensorBrokerTestTraits",
                "BrokerClient", "Mock", "Replay", "ScriptedService", "ChildPrograms", "TestTools", "Varlink",
                "Platform", "sensorbrokerd",
            ]),
        tests(
            "DaemonTests", .broker,
            [
                "sensorbrokerd", "Service", "Gpsd", "IIO", "Mock", "Admission", "Delivery", "Devices", "Compression",
                "Configuration", "Replay", "Readings",
            ]),
        tests("ReplayTests", .devices, ["Replay", "Devices", "Readings", "Platform"]),
        tests("ReportsTests", .command, ["Reports", "Varlink", "Readings"]),
        tests(
            "ServiceTests", .broker,
            [
                "TestTools", "Mock", "Service", "Varlink", "Admission", "Delivery", "Devices", "Readings", "Platform",
                "Simulation",
            ]),
    ]
)

// Where the library is installed as source, there are no tests.
if !FileManager.default.fileExists(atPath: Context.packageDirectory + "/Tests") {
    package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
}
