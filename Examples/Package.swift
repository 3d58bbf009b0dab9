// swift-tools-version: 6.2
import PackageDescription

// Programs as a user of the library would write them, in a package of their own.
let sensors: Target.Dependency = .product(name: "SensorBroker", package: "SensorBroker")
let testing: Target.Dependency = .product(name: "SensorBrokerTesting", package: "SensorBroker")

let mainActor: [SwiftSetting] = [
    .defaultIsolation(MainActor.self), .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "SensorBroker", path: "..")],
    targets: [
        .executableTarget(name: "tilt-logger", dependencies: [sensors], path: "Sources/TiltLogger"),
        .executableTarget(name: "speedometer", dependencies: [sensors], path: "Sources/Speedometer"),
        .target(name: "Geofence", dependencies: [sensors]),
        .executableTarget(
            name: "geofence-alarm", dependencies: ["Geofence", sensors], path: "Sources/GeofenceAlarm"),
        .testTarget(name: "GeofenceTests", dependencies: ["Geofence", sensors, testing]),
        .executableTarget(name: "singleton", dependencies: [sensors], path: "Sources/Singleton"),
        // Everything belongs to the main actor unless it says otherwise, as in an app with a user interface.
        .executableTarget(
            name: "dashboard", dependencies: [sensors], path: "Sources/Dashboard", swiftSettings: mainActor),
        .testTarget(name: "DashboardTests", dependencies: ["dashboard", sensors, testing], swiftSettings: mainActor),
        .executableTarget(name: "features", dependencies: [sensors, testing], path: "Sources/Features"),
    ],
    swiftLanguageModes: [.v6]
)
