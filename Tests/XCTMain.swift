import Testing

/// Begins the tests.
///
/// Without a file of this name, SwiftPM makes one that looks for XCTest's tests, by an index that the compiler has to
/// write, which is a third of the cost of a build. There are none; who asks for them is told so by an empty run.
@main struct TestMain {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
