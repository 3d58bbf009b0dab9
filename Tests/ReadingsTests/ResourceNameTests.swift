import Readings
import Testing

@Suite("A resource's name") struct ResourceNameTests {
    @Test(
        "is a lower-case word, with a suffix after a colon or without",
        arguments: ["location", "accelerometer:1", "x:A-b_c.9"])
    func accepted(text: String) {
        #expect(ResourceName(text)?.description == text)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", ":", "location:", ":1", "Location", "locatión", "loc ation", "location:1:2", "location:a b",
            "../location",
            "location\u{0}", String(repeating: "a", count: 65), "location:" + String(repeating: "a", count: 65),
        ])
    func refused(text: String) { #expect(ResourceName(text) == nil) }
}
