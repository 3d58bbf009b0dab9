import Testing

@testable import Platform

@Suite("The identity of a process") struct ProcessIdentityTests {
    @Test(
        "is its own where all users have their ids",
        arguments: [
            ("         0          0 4294967295", true), ("         0       1000          1", false),
            ("     65534          0          1", false), ("         0     100000      65536", false), ("", false),
        ])
    func map(line: String, isWhole: Bool) { #expect(ProcessIdentity.hasAllUsers(line) == isWhole) }
}
