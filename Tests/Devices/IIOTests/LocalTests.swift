import Foundation
import Testing

/// The driver on a fake sysfs, in a process and namespace of its own.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LocalTests {
    private let scale = 0.009806650

    @Test("buffered samples arrive one by one, exact, with the kernel's stamps")
    func buffered() throws {
        let run = try NamespaceRun(["--hz", "100"], probe: ["local:", "50", "20000000", "0"])
        #expect(run.status == 0)
        let samples = run.fields("sample")
        #expect(samples.count >= 50)
        for (index, sample) in samples.enumerated() {
            #expect(sample[0] == "\(index)")
            #expect(sample[2...] == ["\(Double(index + 1) * scale)", "\(-scale)", "\(1000 * scale)"])
        }
        #expect(run.fields("gap").isEmpty)
        #expect(run.lines.contains { $0.contains("buffered by trigger chip-dev0") })
    }

    @Test("an IMU yields both of its kinds in scans of one number")
    func severalKinds() throws {
        for way in [[], ["--polled"]] {
            let run = try NamespaceRun(["--imu"] + way, probe: ["local:", "50", "20000000", "0"])
            #expect(run.status == 0)
            let (samples, turns) = (run.fields("sample"), run.fields("gyroscope"))
            #expect(samples.count >= 25 && samples.map { $0[0] } == turns.map { $0[0] })
            for (index, turn) in turns.enumerated() {
                #expect(turn[0] == "\(index)")
                let counted = ["\(-0.001)", "\(Double(index + 1) * 0.001)", "1.0"]
                #expect(Array(turn[2...]) == (way.isEmpty ? counted : ["0.002", "0.001", "1.0"]))
            }
            #expect(run.fields("gap").isEmpty)
        }
    }

    @Test("rate, clock and watermark are set, and half a second fits into the kernel")
    func settings() throws {
        let run = try NamespaceRun(["--hz", "50"], probe: ["local:", "20", "10000000", "50000000"])
        #expect(run.left("in_accel_sampling_frequency") == "100")
        #expect(run.left("current_timestamp_clock") == "boottime")
        #expect(run.left("buffer/watermark") == "5")
        #expect((run.left("buffer/length").flatMap { Int($0) } ?? 0) >= 500)
        #expect(run.left("buffer/enable") == "0")
    }

    @Test("the rate is taken from the list, whatever its order, and written in its shortest form")
    func rates() throws {
        let run = try NamespaceRun(
            ["--set", "sampling_frequency_available=0 100.000000 12.500000 25.000000"],
            probe: ["local:", "5", "70000000", "0"])
        #expect(run.left("in_accel_sampling_frequency") == "25")
        #expect(run.lines.contains { $0.hasPrefix("profile 40000000 discrete([10000000, 40000000, 80000000])") })
    }

    @Test("samples that never came are reported before the next one, with their number")
    func overflow() throws {
        let run = try NamespaceRun(["--skip-every", "20"], probe: ["local:", "60", "10000000", "0"])
        let gaps = run.fields("gap")
        #expect(!gaps.isEmpty)
        let numbers = run.fields("sample").compactMap { Double($0[2]).map { Int64(($0 / scale).rounded()) } }
        let sequence = run.fields("sample").compactMap { Int64($0[0]) }
        #expect(zip(numbers, numbers.dropFirst()).contains { $1 - $0 > 1 })
        #expect(Taken.isComplete(numbers: numbers, sequence: sequence))
    }

    @Test("impossible timestamps are replaced by the time of arrival")
    func stamps() throws {
        let run = try NamespaceRun(["--stamp-shift", "3600"], probe: ["local:", "20", "10000000", "0"])
        let ages = run.fields("sample").compactMap { Int64($0[1]) }
        #expect(ages.count >= 20)
        #expect(ages.allSatisfy { (0..<10_000_000_000).contains($0) })
    }

    @Test("another latency restarts the buffer and reports the gap")
    func reconfigures() throws {
        let run = try NamespaceRun(
            [], probe: ["local:", "10", "10000000", "0", "adjust", "10000000", "50000000", "20"])
        #expect(run.status == 0)
        #expect(run.fields("missing").map { Array($0[..<3]) } == [["acceleration", "gap", "reconfigured"]])
        #expect(run.left("buffer/watermark") == "5")
    }

    @Test("a device without a buffer is polled, at a rate of its list and with its mount matrix")
    func polled() throws {
        let run = try NamespaceRun(
            [
                "--polled", "--set", "in_accel_mount_matrix=0, 1, 0; 1, 0, 0; 0, 0, -1", "--set", "in_accel_z_raw=-7",
                "--set", "in_accel_offset=3", "--set", "sampling_frequency_available=10 50 100",
            ], probe: ["local:", "5", "20000000", "0"])
        #expect(run.status == 0)
        let expected = ["\(-5 * scale)", "\(-4 * scale)", "\(4 * scale)"]
        #expect(run.fields("sample").count >= 5)
        #expect(run.fields("sample").allSatisfy { $0[2...] == expected[...] })
        #expect(run.left("in_accel_sampling_frequency") == "50")
        #expect(
            run.lines.contains { $0.contains("polled (it has no buffer), mount matrix from in_accel_mount_matrix") })
    }

    @Test("a HID sensor reports the opposite, with a matrix and without; a driver's 1 means nothing for another chip")
    func signs() throws {
        let one = "in_accel_mount_matrix=1, 0, 0; 0, 1, 0; 0, 0, 1"
        let cases: [(words: [String], signs: [Double], axes: String)] = [
            ([], [1, 1, 1], "chip"), (["--set", one], [1, 1, 1], "chip"),
            (["--set", "name=accel_3d"], [-1, -1, -1], "device"),
            (["--set", "name=accel_3d", "--set", one], [-1, -1, -1], "device"),
            (["--set", "in_accel_mount_matrix=-1, 0, 0; 0, 1, 0; 0, 0, 1"], [1, -1, -1], "device"),
            (
                ["--set", "name=accel_3d", "--set", "in_accel_mount_matrix=-1, 0, 0; 0, 1, 0; 0, 0, 1"], [1, -1, 1],
                "device"
            ),
        ]
        for (words, signs, axes) in cases {
            let run = try NamespaceRun(["--polled"] + words, probe: ["local:", "3", "20000000", "0"])
            let expected = zip(signs, [1.0, 2, 1000]).map { "\($0 * $1 * scale)" }
            #expect(run.fields("sample").count >= 3 && run.fields("sample").allSatisfy { $0[2...] == expected[...] })
            #expect(run.lines.contains { $0.hasPrefix("profile") && $0.contains("axes of the \(axes)") }, "\(words)")
        }
    }

    @Test("what the driver states of an accelerometer's mounting holds for its gyroscope, unless it states more")
    func commonMount() throws {
        let reflection = "in_accel_mount_matrix=0, 1, 0; 1, 0, 0; 0, 0, 1"
        let rotation = "in_anglvel_mount_matrix=0, -1, 0; 1, 0, 0; 0, 0, 1"
        let cases = [
            (["--set", reflection], ["-0.001", "-0.002", "-1.0"], "mount matrix from in_accel_mount_matrix"),
            (
                ["--set", reflection, "--set", rotation], ["0.001", "-0.002", "1.0"],
                "gyroscope with mount matrix from in_anglvel_mount_matrix"
            ),
        ]
        for (words, turned, profile) in cases {
            let run = try NamespaceRun(["--imu", "--polled"] + words, probe: ["local:", "3", "20000000", "0"])
            let expected = ["\(-2 * scale)", "\(-1 * scale)", "\(-1000 * scale)"]
            #expect(run.fields("sample").count >= 2 && run.fields("sample").allSatisfy { $0[2...] == expected[...] })
            #expect(run.fields("gyroscope").count >= 2)
            #expect(run.fields("gyroscope").allSatisfy { $0[2...] == turned[...] })
            #expect(run.lines.contains { $0.contains(profile) })
        }
    }

    @Test("a buffer that nothing fills is left alone")
    func noTrigger() throws {
        let run = try NamespaceRun(["--set", "trigger/current_trigger="], probe: ["local:", "3", "20000000", "0"])
        #expect(run.lines.contains { $0.contains("buffered by trigger chip-dev0") })
        let none = try NamespaceRun(
            ["--set", "trigger/current_trigger=", "--set", "name=other"], probe: ["local:", "3", "20000000", "0"])
        #expect(none.lines.contains { $0.contains("polled (nothing fills its buffer)") })
    }

    @Test("raw values that cannot be read are a fault, never zeros")
    func unreadable() throws {
        let run = try NamespaceRun(
            ["--polled", "--set", "in_accel_y_raw=x"], probe: ["local:", "5", "20000000", "0"])
        #expect(run.status == 1)
        #expect(run.fields("sample").isEmpty)
        #expect(run.fields("fault").map { $0[0] } == ["failed"])
    }

    @Test("a device that is in use is reported before anything is written")
    func untouched() throws {
        let run = try NamespaceRun(
            ["--broken-node", "--set", "buffer/enable=1"], probe: ["local:", "5", "20000000", "0"])
        #expect(run.status == 1)
        #expect(run.fields("fault").count == 1)
        #expect(run.left("buffer/enable") == "1")
        #expect(run.left("current_timestamp_clock") == "realtime")
        #expect(run.left("in_accel_sampling_frequency") == "100.000000")
    }

    @Test("a buffer that another program disabled is reported as busy")
    func switchedOff() throws {
        let run = try NamespaceRun(["--switch-off-after", "10"], probe: ["local:", "50", "20000000", "0"])
        #expect(run.status == 1)
        #expect(run.fields("sample").count >= 5)
        #expect(run.fields("fault").map { $0[0] } == ["busy"])
    }

    @Test("a host without an accelerometer is a fault with that message")
    func missing() throws {
        let run = try NamespaceRun(
            ["--polled", "--remove", "in_accel_z_raw"], probe: ["local:", "5", "20000000", "0"])
        #expect(run.status == 1)
        #expect(run.lines.contains { $0.hasPrefix("fault missing no IIO accelerometer at local: (no device has") })
    }
}

/// The ways to capture samples, one after the other.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LocalLadderTests {
    private let arguments = ["local:", "5", "20000000", "0", "reopen", "5", "reopen", "5", "reopen", "5"]

    private func ways(_ run: NamespaceRun) -> [String] {
        run.lines.filter { $0.hasPrefix("profile") }.compactMap { line in
            line.components(separatedBy: ", ").first { $0.contains("buffered") || $0.contains("polled") }
        }
    }

    @Test("a trigger that yields nothing is replaced by the FIFO")
    func fifo() throws {
        let run = try NamespaceRun(["--set", "buffer/hwfifo_enabled=0", "--delivers-by", ""], probe: arguments)
        #expect(run.status == 0)
        #expect(ways(run) == ["buffered by trigger chip-dev0", "buffered by its hardware FIFO"])
        #expect(run.fields("fault").map { $0[0] } == ["failed"])
        #expect(run.fields("sample").count >= 5)
    }

    @Test("a device without a trigger of its own gets a timer, which is removed with it")
    func timer() throws {
        let run = try NamespaceRun(
            [
                "--timers", "--set", "name=other", "--set", "trigger/current_trigger=", "--delivers-by",
                "sensorbroker-0",
            ],
            probe: arguments)
        #expect(run.status == 0)
        #expect(ways(run) == ["buffered by the timer sensorbroker-0"])
        #expect(run.left("timer rate") == "50")
        #expect(run.left("timers") == "")
        #expect(run.left("trigger/current_trigger") == "")
    }

    @Test("a timer that is set as the trigger follows the clients as the chip does, unless another device has it, too")
    func setTimer() throws {
        for (options, chip, timer) in [
            ([], "50", "50"), (["--remove", "in_accel_sampling_frequency"], nil, "50"), (["--shared"], "100", "100"),
        ] {
            let run = try NamespaceRun(["--hz", "20", "--steady"] + options, probe: ["local:", "5", "20000000", "0"])
            #expect(run.status == 0)
            #expect(ways(run) == ["buffered by trigger steady"])
            #expect(run.left("in_accel_sampling_frequency") == chip)
            #expect(run.left("steady rate") == timer)
            #expect(run.fields("profile")[0][0] == (timer == "50" ? "20000000" : "10000000"))
        }
    }

    @Test("if no buffer delivers anything, the device is polled, and its description has the reason")
    func polling() throws {
        let run = try NamespaceRun(
            ["--timers", "--set", "buffer/hwfifo_enabled=0", "--delivers-by", "nothing"], probe: arguments)
        #expect(run.status == 0)
        #expect(
            ways(run) == [
                "buffered by trigger chip-dev0", "buffered by its hardware FIFO",
                "buffered by the timer sensorbroker-0", "polled (its buffer delivered nothing)",
            ])
        #expect(run.fields("fault").count == 3)
        #expect(run.fields("sample").count >= 5)
    }
}
