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

let package = Package(
    name: "Fuzz",
    targets: [
        .systemLibrary(name: "CGps", path: "CGps", pkgConfig: "libgps"),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        .target(name: "Readings", swiftSettings: strict),
        .target(name: "Platform", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "Devices", dependencies: ["Readings", "Platform"], swiftSettings: strict),
        .target(name: "Gpsd", dependencies: ["CGps", "Devices", "Readings", "Platform"], swiftSettings: covered),
        .executableTarget(
            name: "fuzz-gpsd", dependencies: ["Gpsd", "Readings"], swiftSettings: covered,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ]
)
