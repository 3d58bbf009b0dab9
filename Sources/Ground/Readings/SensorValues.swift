// Whoever knows the samples knows their values; a client of the library sees the values only.
@_exported public import SensorValues
