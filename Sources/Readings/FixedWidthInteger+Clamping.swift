extension FixedWidthInteger {
    /// The number without its decimals, moved into the range of this type; 0 of what is no number.
    ///
    /// `Int(value)` ends the process where the value is infinite, not a number or too large; `.ci/conversions` finds it.
    @inlinable package init(clamping value: Double) {
        self = Self(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}
