import Testing

@testable import Gpsd

@Suite struct GpsdLineTests {
    @Test(
        "a line is known by its class",
        arguments: [
            (#"{"class":"TPV","mode":1}"#, GpsdLine.fix), (#"{"class":"SKY","device":"x","hdop":1.0}"#, .other),
            (#"{"class":"SKY","satellites":[]}"#, .sky),
            (#"{"class":"VERSION","release":"3.22"}"#, .version), (#"{"class":"WATCH","enable":true}"#, .other),
            (#"{"class":"DEVICE","path":"/dev/x","activated":"2026-01-01T00:00:00Z"}"#, .device(gone: false)),
            (#"{"class":"DEVICE","path":"/dev/x","activated":0}"#, .device(gone: true)),
            (#"{"class":"DEVICE","path":"\"activated\":0","activated":"2026"}"#, .device(gone: false)),
            (#"{"class":"DEVICES","devices":[]}"#, .devices),
            (#"{"class":"DEVICES","devices":[{"path":"a"},{"path":"b"}]}"#, .devices),
            (#"{"class":"TPV","mode":1}{"class":"DEVICES","devices":[{}]}"#, .other), ("", .other), ("{", .other),
            (#"{"class":"TPV""#, .other), ("garbage", .other),
            (#"{"class":"GST","time":"x"}"#, .other),
            (#"{"class":"ERROR","message":"No such device as /dev/x"}"#, .noSuchReceiver),
            (#"{"class":"ERROR","message":"Invalid WATCH"}"#, .other),
        ])
    func kind(_ line: String, _ kind: GpsdLine) {
        #expect(GpsdLine(Array(line.utf8).span) == kind)
    }
}
