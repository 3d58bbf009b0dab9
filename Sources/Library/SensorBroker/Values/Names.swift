internal import SensorServices

// The client's end of the socket has the same words for what is on the wire. In the library they mean the values of programs.
typealias Resource = SensorResource
typealias Grant = SensorServices.Grant
typealias Gap = SensorServices.Gap
