/// The scenarios that come with the program: in it, so that they are there wherever it is.
enum ShippedScenarios {
    static let all: [(name: String, bytes: [UInt8])] = [
        ("city-drive", PackageResources.city_drive_scenario),
        ("flaky-cable", PackageResources.flaky_cable_scenario),
        ("hand-held", PackageResources.hand_held_scenario),
        ("indoor", PackageResources.indoor_scenario),
        ("quadcopter", PackageResources.quadcopter_scenario),
    ]
}
