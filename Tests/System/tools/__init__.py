"""What process tests share, here and in Tests/VM, Tests/Package and Benchmarks: one way to wait, to run, to start each program.

waiting: until; commands: sensorctl and other programs; daemon, bridge, mosquitto, desktop, receiver, browser, screen: programs
that live as long as a test; scriptedgpsd, scriptedmqtt, network: others that do what they are told; stream, wire,
administration: clients; account, rates, continuity, recordings, ledger: what must be true of what was received; fixtures and
leftbehind: for conftest.
"""
