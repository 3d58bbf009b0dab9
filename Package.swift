// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One set of rules for every target: Swift 6 mode, no warning survives, every unsafe expression is marked, and an import
// is private to its file unless it says otherwise. The order of the targets is the order in which a reading flows.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources,
        swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, swiftSettings: strict,
        linkerSettings: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])])
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

let package = Package(
    name: "SensorBroker",
    products: [
        .executable(name: "sensorbrokerd", targets: ["sensorbrokerd"]),
        .executable(name: "sensorctl", targets: ["sensorctl"]),
        .library(name: "SensorBroker", targets: ["SensorBroker"]),
        .library(name: "SensorBrokerTesting", targets: ["SensorBrokerTesting"]),
    ],
    targets: [
        // C, each behind a header of inline adapters
        .systemLibrary(name: "CGps", path: "CGps", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CIio", path: "CIio", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
        .systemLibrary(
            name: "CExpat", path: "Sources/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(
            name: "CSystemd", path: "Sources/CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

        // What flows, and what it stands on
        library("Readings"),
        library("Platform", ["CLinux"]),
        // Other programs' files to readings and back: pure, bytes in and values out
        library("Formats", ["CExpat", "Readings"]),

        // What the administrator wrote: text to sections, pure
        library("Configuration"),
        // What can go wrong with a device, and when: pure
        library("Faults", ["Configuration", "Readings"]),

        // Device to sample
        library("Devices", ["Readings", "Platform"]),
        library("Gpsd", ["CGps", "Devices", "Readings", "Platform"]),
        library("IIO", ["CIio", "Devices", "Readings", "Platform"]),
        library("Mock", ["Faults", "Devices", "Readings", "Platform"]),

        // Simulated devices as people describe them: text to scripts
        library(
            "Scenarios", ["Configuration", "Faults", "Formats", "Mock", "Devices", "Readings", "Platform"],
            resources: [
                "city-drive", "flaky-cable", "hand-held", "indoor", "quadcopter",
            ].map { .embedInCode("Shipped/\($0).scenario") }),

        // Sample to client: pure decisions, then the sockets
        library("Delivery", ["Readings"]),
        // Who may have how much, and who may read what: pure
        library("Admission", ["Readings"]),
        library(
            "Varlink",
            resources: [
                .embedInCode("Interfaces/io.sensorbroker.Admin.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Broker.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Mock.varlink"),
                .embedInCode("Interfaces/org.varlink.service.varlink"),
            ]),
        library(
            "Service",
            ["Faults", "Delivery", "Admission", "Varlink", "Configuration", "Devices", "Readings", "Platform"]),

        // The other end of the socket
        library("BrokerClient", ["Varlink", "Readings", "Platform", "CLinux"]),
        // What a client wrote down, as a device
        library("Replay", ["BrokerClient", "Varlink", "Devices", "Readings", "Platform"]),

        library("ServiceManagement", ["CSystemd", "Platform"]),
        program(
            "sensorbrokerd",
            [
                "Service", "ServiceManagement", "Configuration", "Gpsd", "IIO", "Mock", "Scenarios", "Faults", "Replay",
                "Admission", "Delivery", "Devices", "Readings", "Platform",
            ]),

        // A broker without a process of its own, with simulated devices
        library("InProcess", ["Service", "Mock", "Replay", "Devices", "Readings", "Platform", "CLinux"]),

        library(
            "CommandLineClient",
            [
                "Configuration", "Faults", "BrokerClient", "Replay", "Formats", "Readings", "Varlink", "Platform",
                "CLinux",
            ]),
        program("sensorctl", ["CommandLineClient", "Platform"]),
        library(
            "SensorBroker", ["BrokerClient", "InProcess", "Replay", "Varlink", "Devices", "Readings", "Platform"]),
        library("SensorBrokerTesting", ["SensorBroker", "Platform"]),

        tests("ReadingsTests", ["Readings"]),
        tests("FormatsTests", ["Formats", "Readings"]),
        tests("PlatformTests", ["Platform"]),
        tests("DevicesTests", ["Devices", "Readings", "Platform"]),
        tests("GpsdTests", ["Gpsd", "Devices", "Readings", "Platform"]),
        // Drives a real driver from the command line: for tests inside a namespace of their own, and for hands
        .executableTarget(
            name: "iio-probe", dependencies: ["IIO", "Devices", "Readings", "Platform"], path: "Tests/iio-probe",
            swiftSettings: strict),
        tests("IIOTests", ["IIO", "Devices", "Readings", "Platform", "iio-probe"]),
        tests("FaultsTests", ["Faults", "Readings"]),
        tests("MockTests", ["Mock", "Faults", "Devices", "Readings", "Platform"]),
        tests("ScenariosTests", ["Scenarios", "Mock", "Faults", "Configuration", "Devices", "Readings"]),
        tests("DeliveryTests", ["Delivery", "Readings", "Simulation"]),
        tests("AdmissionTests", ["Admission", "Readings"]),
        // The core of delivery in virtual time, with a device and clients that one seed decides
        library(
            "Simulation", ["Delivery", "Devices", "Faults", "Readings"], path: "Tests/Simulation",
            exclude: ["mutate", "mutations"]),
        program("simulate", ["Simulation"], path: "Tests/simulate"),
        tests("SimulationTests", ["Simulation", "Faults", "Readings"]),
        // Varlink's own test of implementations, to be served by test programs only
        library(
            "Certification", ["Varlink"], path: "Tests/Certification",
            resources: [.embedInCode("org.varlink.certification.varlink")]),
        program(
            "certification-server", ["Certification", "Service", "Varlink", "Readings", "Platform"],
            path: "Tests/certification-server"),
        program(
            "certification-client", ["BrokerClient", "Varlink", "Platform"], path: "Tests/certification-client"),
        tests("VarlinkTests", ["Varlink", "Certification"]),
        tests("ConfigurationTests", ["Configuration"]),
        // A service that answers by a script, for tests of clients
        library("ScriptedService", ["Varlink", "Platform", "CLinux"], path: "Tests/ScriptedService"),
        tests("BrokerClientTests", ["BrokerClient", "ScriptedService", "Readings", "Varlink", "Platform"]),
        tests(
            "CommandLineClientTests",
            [
                "CommandLineClient", "BrokerClient", "Formats", "Readings", "Replay", "ScriptedService", "Varlink",
                "Platform", "CLinux",
            ]),
        tests(
            "SensorBrokerTests",
            ["SensorBroker", "BrokerClient", "InProcess", "ScriptedService", "Varlink", "Platform", "sensorbrokerd"]),
        tests("SensorBrokerTestingTests", ["SensorBroker", "SensorBrokerTesting"]),
        tests(
            "DaemonTests",
            [
                "sensorbrokerd", "Devices", "Service", "Configuration", "Admission", "Delivery", "Gpsd", "IIO",
                "Readings",
            ]),
        tests("ReplayTests", ["Replay", "Devices", "Readings", "Platform"]),
        tests("InProcessTests", ["InProcess", "Replay", "BrokerClient", "Varlink", "Platform"]),
        tests(
            "ServiceTests",
            ["Faults", "Service", "Varlink", "Admission", "Delivery", "Devices", "Readings", "Platform", "Simulation"]),
    ]
)

// Where the library is installed as source, there are no tests.
if !FileManager.default.fileExists(atPath: Context.packageDirectory + "/Tests") {
    package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
}
