// swift-tools-version: 6.2
import PackageDescription

// What the parts around a send cost by themselves: `micro` prints nanoseconds. A package of its own, since it looks inside
// modules that the product keeps closed; the sources are those of the product.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let opened: [SwiftSetting] = strict + [.unsafeFlags(["-enable-testing"])]

let package = Package(
    name: "Benchmarks",
    targets: [
        .systemLibrary(name: "CLinux", path: "CLinux"),
        .target(name: "SensorValues", swiftSettings: strict),
        .target(name: "Readings", dependencies: ["SensorValues"], swiftSettings: strict),
        .target(name: "Locking", swiftSettings: strict),
        .target(name: "Printable", swiftSettings: strict),
        .target(name: "Timing", swiftSettings: strict),
        .target(name: "Platform", dependencies: ["CLinux", "Locking", "Printable", "Timing"], swiftSettings: strict),
        .target(name: "Devices", dependencies: ["Printable", "Readings", "Platform"], swiftSettings: strict),
        .target(name: "Delivery", dependencies: ["Readings"], swiftSettings: strict),
        .target(name: "Admission", dependencies: ["Readings"], swiftSettings: strict),
        .target(
            name: "Varlink",
            dependencies: ["Printable"],
            resources: [
                .embedInCode("Interfaces/io.sensorbroker.Admin.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Broker.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Feed.varlink"),
                .embedInCode("Interfaces/io.sensorbroker.Mock.varlink"),
                .embedInCode("Interfaces/io.systemd.Metrics.varlink"),
                .embedInCode("Interfaces/org.varlink.service.varlink"),
            ], swiftSettings: strict),
        .target(name: "Configuration", dependencies: ["Printable"], swiftSettings: strict),
        .target(
            name: "Service",
            dependencies: [
                "Delivery", "Admission", "Motion", "BrokerClient", "Varlink", "Configuration", "Devices", "Readings",
                "Platform",
            ],
            swiftSettings: opened),
        .target(
            name: "BrokerClient", dependencies: ["Varlink", "Readings", "Platform", "CLinux"], swiftSettings: strict),
        .target(name: "Motion", dependencies: ["SensorValues"], swiftSettings: strict),
        // A filter's program for motion.py
        .executableTarget(
            name: "motion-bench", dependencies: ["Motion", "SensorValues"], path: "Sources/motion-bench",
            swiftSettings: strict),
        .executableTarget(
            name: "micro", dependencies: ["Service", "Delivery", "Varlink", "Readings"], swiftSettings: strict),
    ]
)
