// swift-tools-version: 6.2
import PackageDescription

// Programs as a user of the library would write them, in a package of their own.
let sensors: Target.Dependency = .product(name: "SensorBroker", package: "SensorBroker")
let testing: Target.Dependency = .product(name: "SensorBrokerTesting", package: "SensorBroker")

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
        .executableTarget(name: "features", dependencies: [sensors, testing], path: "Sources/Features"),
    ],
    swiftLanguageModes: [.v6]
)
