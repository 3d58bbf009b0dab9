// Whoever uses a service uses its values: `Location`, `Acceleration`, `ResourceName`, `ResourceState`, `BootTime`.
@_exported public import SensorValues
