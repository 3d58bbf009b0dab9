internal import Fuzzing
internal import Simulation

/// The core of delivery as a state machine: the bytes decide a device, clients and what happens to them in virtual time, and
/// the simulation's auditor holds all that is handed out against the contract.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDelivery(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = unsafe Input(start, count)
    let scenario = Scenario(input.bytes(.max))
    let outcome = Simulation.run(scenario)
    guard let violation = outcome.violation else { return 0 }
    fatalError("\(violation)\n\(scenario)")
}
