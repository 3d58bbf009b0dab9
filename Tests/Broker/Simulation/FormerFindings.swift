extension Scenario {
    /// Seeds of scenarios that once violated an invariant, too rarely to find them again within seconds.
    ///
    /// A loss in the same turn as the return from the last one, or at the instant when a client came; a reading of a
    /// source that only seemed silent; a mean with the stamp of a sample; lanes near the device's own rate; a kind
    /// missing from the first scan of its device; more losses in one hand-over than the auditor remembered.
    public static let formerFindings: [UInt64] = [
        186_669_803_003_900, 94_053_560_978_996, 172_491_728_287_417, 20_077_789_601_243, 118_894_867_094_479,
        5_071_512_977_557, 280_908_055_815_074, 212_168_208_134_810,
    ]
}
