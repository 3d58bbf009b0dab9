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

/// Rooms that are optimized in a debug build, and assert what it asserts: with those in which simulations, messages and the
/// fleet's spools take their time, the project's own tests save more than the compiler takes for it.
let optimized = Context.environment["SENSORBROKER_OPTIMIZED"]?.split(separator: " ").map(String.init) ?? []

func settings(of room: String) -> [SwiftSetting] {
    strict + (optimized.contains(room) ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : [])
}

/// The floors of the house: folders of Sources, and of Tests.
///
/// A room may import rooms of its own floor, the ground, and what `mayKnow` says. The end of this file refuses any other.
enum Floor: String {
    case ground = "Ground"
    case devices = "Devices"
    case broker = "Broker"
    case command = "Command"
    case library = "Library"
    case desktop = "Desktop"
    case fleet = "Fleet"
}

/// What a floor may import beyond itself and the ground.
let mayKnow: [Floor: Set<String>] = [
    .broker: ["Devices", "Motion"], .command: ["Mock", "Replay", "Motion"],
]
/// Where the parts come together: the daemon, and a daemon within a program.
let mayKnowAll: Set<String> = ["sensorbrokerd", "SensorBrokerSimulation"]

/// A room of the house.
///
/// This is the one list of them: `.ci/tables` writes it, with what each is, into docs/architecture.md.
func room(
    _ name: String, _ floor: Floor, _ what: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(floor.rawValue)/\(name)", resources: resources,
        swiftSettings: settings(of: name))
}

// The toolchain's own linker and packed relocations save each process 0.4 MB of memory. The part of libstdc++ that Swift's
// runtime needs (CLinux/static), instead of all of it, saves 0.8 MB more, but not in the daemon: libiio brings all of it there.
let compact = [
    "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-L\(Context.packageDirectory)/CLinux/static",
]
// What runs for each reading lies side by side (`make layout`): one that finds the caches cold costs the daemon an eighth less. That needs
// each function in a section of its own, which the Makefile asks for.
let ordered = [
    "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/CLinux/functions.order", "-Xlinker",
    "--no-warn-symbol-ordering",
]

func executable(_ name: String, _ dependencies: [Target.Dependency], path: String) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, swiftSettings: strict,
        linkerSettings: [
            .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"]),
            .unsafeFlags(compact + ordered, .when(configuration: .release)),
        ])
}

/// A room that is a program.
func program(_ name: String, _ floor: Floor, _ what: String, _ dependencies: [Target.Dependency]) -> Target {
    executable(name, dependencies, path: "Sources/\(floor.rawValue)/\(name)")
}

func tests(_ name: String, _ floor: Floor, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(floor.rawValue)/\(name)", swiftSettings: strict)
}

/// What tests of a floor share.
func support(
    _ name: String, _ floor: Floor, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/\(floor.rawValue)/\(name)", exclude: exclude,
        resources: resources, swiftSettings: settings(of: name))
}

/// A program that tests start.
func subject(_ name: String, _ floor: Floor, _ dependencies: [Target.Dependency]) -> Target {
    executable(name, dependencies, path: "Tests/\(floor.rawValue)/\(name)")
}

let package = Package(
    name: "SensorBroker",
    // Of Synchronization's locks, for what is not Linux's: values, services and doubles
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
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
        // C, each behind a header of inline adapters. Without pkg-config: it would add flags that a package may not have, and warn
        // whoever builds the client of each library that only the daemon and its tools need.
        .systemLibrary(name: "CCurses", path: "CCurses", providers: [.apt(["libncurses-dev"])]),
        .systemLibrary(name: "CExpat", path: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CGps", path: "CGps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CIio", path: "CIio", providers: [.apt(["libiio-dev"])]),
        .systemLibrary(name: "CLinux", path: "CLinux"),
        .systemLibrary(
            name: "CMosquitto", path: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(
            name: "CSystemd", path: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CZstd", path: "CZstd", providers: [.apt(["libzstd-dev"])]),

        // Ground
        room("SensorValues", .ground, "values that sensors measure, and the table of their kinds"),
        room("Readings", .ground, "samples, gaps and profiles: what devices yield", ["SensorValues"]),
        room("Locking", .ground, "a lock"),
        room("Timing", .ground, "lengths of time, and growing pauses between attempts"),
        room("Printable", .ground, "numbers with their nouns, and text from outside, made safe for terminals and logs"),
        room(
            "Platform", .ground, "Linux: thin wrappers of its system calls",
            ["CLinux", "Locking", "Timing", "Printable"]),
        room("Configuration", .ground, "files of sections and settings", ["Printable"]),
        room(
            "Programs", .ground,
            "what all programs share: command lines, exit statuses, output, settings, and pages that follow from tables",
            ["Configuration", "Platform"]),
        room(
            "Varlink", .ground, "calls and replies as bytes, and the definitions of the interfaces", ["Printable"],
            resources: [
                .embedInCode("Interfaces/io.sensorbroker.Admin.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Broker.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Feed.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Mock.varlink"),
                .embedInCode("Interfaces/io.systemd.Metrics.varlink"),
                .embedInCode("Interfaces/org.varlink.service.varlink"),
            ]),
        room(
            "BrokerClient", .ground, "the client's end of the socket", ["Varlink", "Readings", "Platform", "CLinux"]),
        room(
            "Formats", .ground, "other programs' files: NMEA, CSV, KML, GeoJSON, MCAP; GPX as it is written",
            ["Printable", "Readings"]),
        room("GPX", .ground, "GPX as it is read, with expat", ["CExpat", "Formats", "Readings"]),
        room("Compression", .ground, "zstd", ["CZstd"]),

        // Devices
        room(
            "Devices", .devices, "what all devices have: a driver's thread and supervised life",
            ["Printable", "Readings", "Platform"]),
        room("Gpsd", .devices, "the location feed of gpsd", ["CGps", "Devices", "Readings", "Platform"]),
        room(
            "IIO", .devices, "the sensors of the kernel's IIO, here or behind an iiod",
            ["CIio", "Devices", "Readings", "Platform"]),
        room(
            "Motion", .devices,
            "attitude, gravity and heading from rates, accelerations and magnetic fields; the Earth's magnetic field; pure",
            ["SensorValues"]),
        room(
            "Mock", .devices, "simulated devices, and their faults",
            ["Motion", "Configuration", "Varlink", "Devices", "Readings", "Platform"]),
        room(
            "Scenarios", .devices, "simulated devices as text",
            ["Mock", "Formats", "Configuration", "Devices", "Readings", "Platform"],
            resources: [
                "city-drive", "drone-imu", "flaky-cable", "hand-held", "indoor", "laptop", "phone", "quadcopter",
                "robot-arm", "weather-station",
            ].map { .embedInCode("Shipped/\($0).scenario") }),
        room(
            "Replay", .devices, "recordings as devices, and line by line",
            ["BrokerClient", "Varlink", "Devices", "Readings", "Platform"]),

        // Broker
        room("Delivery", .broker, "which client gets which reading, and when; pure", ["Readings"]),
        room("Admission", .broker, "who may have how much, and who may read what; pure", ["Readings"]),
        room(
            "Service", .broker, "clients, their calls and streams",
            [
                "Delivery", "Admission", "Motion", "BrokerClient", "Varlink", "Configuration", "Devices", "Readings",
                "Platform", "Printable",
            ]),
        program(
            "sensorbrokerd", .broker, "the daemon, with its settings and its use of systemd",
            [
                "Service", "Gpsd", "IIO", "Mock", "Scenarios", "Replay", "Admission", "Delivery", "Devices",
                "BrokerClient", "Compression", "Programs", "Configuration", "Formats", "GPX", "Readings", "Platform",
                "CSystemd",
            ]),

        // Command
        room(
            "Reports", .command, "what a recording looks like, as a page for a browser; pure",
            ["Formats", "Varlink", "Readings"],
            resources: [
                "page.css", "data.js", "axis.js", "pen.js", "chart.js", "map.js", "spectrum.js", "pictures.js",
                "page.js",
            ].map {
                .embedInCode("Page/\($0)")
            }),
        program(
            "sensorctl", .command, "the command",
            [
                "BrokerClient", "Replay", "Reports", "Mock", "Motion", "Varlink", "Programs", "Configuration",
                "Compression", "Formats", "GPX", "Readings", "Platform", "Printable", "Locking", "CLinux", "CCurses",
            ]),

        // Library
        room(
            "SensorServices", .library,
            "sensors and brokers as an application sees them: protocols and values for any platform",
            ["SensorValues", "Locking"]),
        room(
            "SensorBroker", .library, "the Swift library: a client and nothing more",
            ["BrokerClient", "Varlink", "SensorServices", "Locking", "Platform", "CLinux"]),
        room(
            "SensorBrokerSimulation", .library, "a Service within the program, with simulated and recorded devices",
            [
                "SensorBroker", "Service", "Mock", "Scenarios", "Replay", "Configuration", "Devices", "Readings",
                "Locking", "Platform", "CLinux",
            ]),
        room(
            "SensorBrokerTesting", .library, "doubles for the tests of applications", ["SensorServices", "Locking"]),
        // Imports Swift Testing, so only tests can link it; the doubles are also for previews and demonstrations.
        room("SensorBrokerTestTraits", .library, "a trait of Swift Testing", ["SensorBroker"]),

        // Desktop
        program(
            "sensorbroker-desktop", .desktop, "iio-sensor-proxy's interface and NMEA for geoclue, as a client",
            ["BrokerClient", "Varlink", "Formats", "Programs", "Readings", "Platform", "CSystemd"]),

        // Fleet
        room("Spool", .fleet, "messages on a disk that may fail; pure"),
        room(
            "Fleet", .fleet, "what is sent to a fleet's server, and when; pure",
            ["Spool", "Varlink", "Configuration", "SensorValues", "Timing"]),
        room(
            "MQTT", .fleet, "a connection to an MQTT server", ["Fleet", "Programs", "Platform", "CMosquitto"]),
        program(
            "sensorbroker-mqtt", .fleet, "the bridge: readings for a fleet's server, as a client",
            [
                "MQTT", "Fleet", "Spool", "Compression", "BrokerClient", "Varlink", "Programs", "Configuration",
                "Platform", "Printable", "CLinux",
            ]),
        // A program of its own, so that sensorctl needs no MQTT.
        program(
            "sensorbroker-fleet", .fleet, "the consumer's side, which `sensorctl fleet` runs",
            [
                "MQTT", "Fleet", "Spool", "Compression", "BrokerClient", "Varlink", "Programs", "Configuration",
                "Formats",
                "Readings", "Platform", "Printable", "CLinux",
            ]),

        // Instants, random numbers and directories, for tests
        support("TestTools", .ground, ["SensorValues"]),
        tests("ReadingsTests", .ground, ["Readings", "SensorValues", "TestTools"]),
        tests("FormatsTests", .ground, ["Formats", "GPX", "Readings"]),
        tests("PrintableTests", .ground, ["Printable"]),
        tests("PlatformTests", .ground, ["Platform", "TestTools"]),
        tests("DevicesTests", .devices, ["Devices", "Readings", "Platform"]),
        // Programs that tests start beside them
        support("ChildPrograms", .ground, ["CLinux"]),
        tests("GpsdTests", .devices, ["Gpsd", "ChildPrograms", "Devices", "Readings", "Platform"]),
        // Drives a real driver from the command line: for tests inside a namespace of their own, and for hands
        subject("iio-probe", .devices, ["IIO", "Devices", "Readings", "Platform"]),
        tests("IIOTests", .devices, ["IIO", "ChildPrograms", "Devices", "Readings", "Platform", "iio-probe"]),
        tests("MotionTests", .devices, ["Motion", "TestTools", "SensorValues"]),
        tests("MockTests", .devices, ["Mock", "Motion", "TestTools", "Devices", "Readings", "Platform"]),
        tests(
            "ScenariosTests", .devices,
            [
                "Scenarios", "Mock", "Motion", "Formats", "GPX", "Configuration", "Delivery", "Devices", "Readings",
            ]),
        tests("DeliveryTests", .broker, ["Delivery", "TestTools", "Readings", "Simulation"]),
        tests("AdmissionTests", .broker, ["Admission", "TestTools", "Readings"]),
        // The core of delivery in virtual time, with a device and clients that one seed decides
        support(
            "Simulation", .broker, ["Mock", "Delivery", "Devices", "Readings"],
            exclude: ["mutate", "mutations"]),
        subject("simulate", .broker, ["Simulation"]),
        // A whole broker in virtual time, with sensors, programs that are sensors, and what is derived
        support(
            "HostSimulation", .broker,
            [
                "Simulation", "Service", "Mock", "Motion", "Admission", "BrokerClient", "Varlink", "Devices",
                "Readings",
                "Platform", "CLinux",
            ]),
        subject("simulate-host", .broker, ["HostSimulation"]),
        tests("SimulationTests", .broker, ["Simulation", "HostSimulation", "Mock", "Readings"]),
        // Varlink's own test of implementations, to be served by test programs only
        support(
            "Certification", .ground, ["Varlink"],
            resources: [.embedInCode("org.varlink.certification.varlink")]),
        subject(
            "certification-server", .broker, ["Certification", "Service", "Varlink", "Readings", "Platform"]),
        subject(
            "certification-client", .ground, ["BrokerClient", "Varlink", "Platform"]),
        // What users of the library see, for the suite that compares the clients of all languages
        subject("conform-swift", .library, ["SensorBroker", "Varlink"]),
        tests("SpoolTests", .fleet, ["Spool"]),
        tests("FleetTests", .fleet, ["TestTools", "Fleet", "Spool", "Varlink", "Configuration", "SensorValues"]),
        tests("MQTTTests", .fleet, ["MQTT", "TestTools", "Fleet", "Programs", "Platform"]),
        // The bridge and the consumer's side, with models of server and broker, on virtual time
        tests(
            "FleetProgramTests", .fleet,
            [
                "sensorbroker-mqtt", "sensorbroker-fleet", "TestTools", "MQTT", "Fleet", "Spool", "Compression",
                "BrokerClient", "Varlink", "Programs", "Configuration", "Platform",
            ]),
        tests("VarlinkTests", .ground, ["Varlink", "TestTools", "Certification"]),
        tests("ConfigurationTests", .ground, ["Configuration"]),
        tests("ProgramsTests", .ground, ["Programs", "TestTools", "Configuration", "Platform"]),
        tests("CompressionTests", .ground, ["Compression"]),
        // A service that answers by a script, for tests of clients
        support("ScriptedService", .ground, ["Varlink", "Platform", "CLinux"]),
        tests("BrokerClientTests", .ground, ["BrokerClient", "ScriptedService", "Readings", "Varlink", "Platform"]),
        tests(
            "SensorctlTests", .command,
            [
                "sensorctl", "BrokerClient", "Replay", "ScriptedService", "TestTools", "Varlink", "Programs",
                "Compression",
                "Formats",
                "GPX", "Readings", "Platform", "CLinux",
            ]),
        tests("DesktopTests", .desktop, ["sensorbroker-desktop", "BrokerClient", "Varlink", "Programs", "Readings"]),
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
                "Programs", "Configuration", "Platform", "Replay", "Readings",
            ]),
        tests("ReplayTests", .devices, ["Replay", "Devices", "Readings", "Platform"]),
        tests("ReportsTests", .command, ["Reports", "Varlink", "Readings"]),
        tests(
            "ServiceTests", .broker,
            [
                "TestTools", "Motion", "Mock", "Service", "Varlink", "Admission", "Delivery", "Devices", "Readings",
                "Platform",
                "Simulation",
            ]),
    ]
)

// Where the library is installed as source, there are no tests.
if !FileManager.default.fileExists(atPath: Context.packageDirectory + "/Tests") {
    package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
}

let floors = Dictionary(
    uniqueKeysWithValues: package.targets.compactMap { target -> (String, Floor)? in
        let path = (target.path ?? "").split(separator: "/")
        guard path.first == "Sources" else { return nil }
        return Floor(rawValue: String(path[1])).map { (target.name, $0) }
    })
for target in package.targets where !mayKnowAll.contains(target.name) {
    guard let floor = floors[target.name] else { continue }
    for case .byNameItem(let name, _) in target.dependencies {
        guard let other = floors[name], other != floor, other != .ground else { continue }
        precondition(
            mayKnow[floor, default: []].contains(name),
            "\(target.name), of the floor \(floor.rawValue), may not import \(name), of the floor \(other.rawValue)")
    }
}
