// `Location`, `Acceleration`, `ResourceName`, `ResourceState` and `BootTime` are the same values from device to client.
@_exported public import Readings
