import Testing

@testable import IIO

/// The XML in which an iiod describes its devices.
struct RemoteDescriptionTests {
    private func read(_ text: String) throws(MarkupError) -> RemoteDescription {
        try RemoteDescription(Array(text.utf8))
    }

    private func error(_ text: String) -> MarkupError? {
        do throws(MarkupError) { _ = try read(text) } catch { return error }
        return nil
    }

    @Test("devices, channels and attributes are found, whatever stands around them")
    func whole() throws {
        let description = try read(
            """
            <?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [<!ELEMENT context (device)*>]>
            <!-- a > comment --><context name='network' description="a &quot;b&quot; &#x41;&#66;">
             <context-attribute name="local,kernel" value="6.1" />
             <device id="iio:device0" name="accel_3d" label="top&#10;left">
              <channel id="timestamp" type="input"><scan-element index="3" format="le:S64/64&gt;&gt;0" /></channel>
              <channel id="temp" type="input"><attribute name="raw" filename="in_temp_raw" /></channel>
              <channel id="accel_x" type="input"><scan-element index="0" format="be:s12/16>>4" scale="0.01" />
               <attribute name="raw" filename="in_accel_x_raw" /></channel>
              <attribute name="sampling_frequency" /><buffer-attribute name="watermark" /><debug-attribute name="x" />
              <unknown><deeper/></unknown>
             </device>
             <device id="trigger0" name="accel_3d-dev0"></device></context>
            """)
        #expect(description.devices.map(\.id) == ["iio:device0", "trigger0"])
        #expect(description.devices.map(\.isTrigger) == [false, true])
        let device = description.devices[0]
        #expect(device.name == "accel_3d" && device.label == "top\\u000aleft")
        // In the order of masks: the channels of a scan by their place in it, then the others.
        #expect(device.channels.map(\.id) == ["accel_x", "timestamp", "temp"])
        #expect(device.channels.map(\.index) == [0, 3, nil])
        #expect(device.channels[0].attributes == ["raw"])
        #expect(device.channels[0].word == RemoteWord("be:s12/16>>4"))
        #expect(device.attributes == ["sampling_frequency"] && device.bufferAttributes == ["watermark"])
        #expect(device.maskWords == 1)
    }

    @Test("an entity is not resolved, wherever it points")
    func entities() {
        let grammar = "<!DOCTYPE context [<!ENTITY x SYSTEM \"file:///etc/passwd\"><!ENTITY l \"lol\">]>"
        for entity in ["&x;", "&l;", "&lt", "&;", "&#xD800;", "&#99999999999;", "&#-1;"] {
            guard case .reference = error("\(grammar)<context description=\"\(entity)\"/>") else {
                Issue.record("\(entity) was taken")
                continue
            }
        }
    }

    @Test(
        "a text that is not a description of devices is refused",
        arguments: [
            "", "garbage", "<", "<context", "<context>", "<context name>", "<context name=>", "<context name='a>",
            "<context name=\"a\" name=\"b\"/>", "<!-- <context/>", "<?xml <context/>", "<!DOCTYPE context [<context/>",
            "<device/>", "<context><device/></context>", "<context><device id=''/></context>",
            "<context><device id='a b'/></context>", "<context><device id='a&#13;&#10;EXIT'/></context>",
            "<context><device id='d'><channel/></device></context>",
            "<context><device id='d'><attribute/></device></context>",
            "<context><device id='d'><channel id='c'><scan-element index='-1'/></channel></device></context>",
            "<context><device id='d'><channel id='c'><scan-element index='99999999999'/></channel></device></context>",
        ])
    func refused(text: String) { #expect(error(text) != nil) }

    @Test("size, depth and number are bounded")
    func bounded() {
        #expect(error(String(repeating: "<context>", count: 1000)) == .tooDeep)
        let many = String(repeating: "<device id='d'/>", count: 20_000)
        #expect(error("<context>\(many)</context>") == .tooMany("elements"))
        let names = (0..<100).map { "a\($0)='b'" }.joined(separator: " ")
        #expect(error("<context \(names)/>") == .tooMany("attributes of an element"))
        let long = String(repeating: "a", count: 1000)
        #expect(error("<context><device id='\(long)'/></context>") == .unfit("name of a device"))
    }

    @Test(
        "unknown formats are rejected",
        arguments: [
            "", "garbage", "xx:s32/32>>0", "le:f32/32>>0", "le:s32/32>>-1", "le:s32/32>>", "le:s/32>>0", "le:s32>>0",
            "le:s32/32>>0x", "le:s99999999999/32>>0",
        ])
    func formats(text: String) { #expect(RemoteWord(text) == nil) }
}
