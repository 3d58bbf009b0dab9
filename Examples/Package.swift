// swift-tools-version: 6.2
import PackageDescription

// Programs as a user of the library would write them, in a package of their own.
let sensors: Target.Dependency = .product(name: "SensorBroker", package: "SensorBroker")
// Lets SENSORBROKER_TRANSPORT choose simulated sensors within the program; leave it out and the program carries only a client.
let simulation: Target.Dependency = .product(name: "SensorBrokerSimulation", package: "SensorBroker")
let testing: Target.Dependency = .product(name: "SensorBrokerTesting", package: "SensorBroker")
let traits: Target.Dependency = .product(name: "SensorBrokerTestTraits", package: "SensorBroker")

let mainActor: [SwiftSetting] = [
    .defaultIsolation(MainActor.self), .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "SensorBroker", path: "..")],
    targets: [
        // A client and nothing more: the program of "Getting started"
        .executableTarget(name: "hiker", dependencies: [sensors], path: "Sources/Hiker"),
        // What the tutorial of the documentation comes to; the files are those of its last steps.
        .executableTarget(name: "Trip", dependencies: [sensors]),
        .testTarget(name: "TripTests", dependencies: ["Trip", sensors, simulation, testing, traits]),
        .executableTarget(name: "tilt-logger", dependencies: [sensors, simulation], path: "Sources/TiltLogger"),
        .executableTarget(name: "speedometer", dependencies: [sensors, simulation], path: "Sources/Speedometer"),
        .target(name: "Geofence", dependencies: [sensors]),
        .executableTarget(
            name: "geofence-alarm", dependencies: ["Geofence", sensors, simulation], path: "Sources/GeofenceAlarm"),
        .testTarget(name: "GeofenceTests", dependencies: ["Geofence", sensors, testing]),
        .executableTarget(name: "singleton", dependencies: [sensors, simulation], path: "Sources/Singleton"),
        // Everything belongs to the main actor unless it says otherwise, as in an app with a user interface.
        .executableTarget(
            name: "dashboard", dependencies: [sensors, simulation], path: "Sources/Dashboard", swiftSettings: mainActor),
        .testTarget(name: "DashboardTests", dependencies: ["dashboard", sensors, testing], swiftSettings: mainActor),
        .executableTarget(name: "thousand-intervals", dependencies: [sensors], path: "Sources/ThousandIntervals"),
        .executableTarget(name: "features", dependencies: [sensors, simulation, testing], path: "Sources/Features"),
    ],
    swiftLanguageModes: [.v6]
)
