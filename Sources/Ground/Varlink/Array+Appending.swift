#if compiler(<6.3)
    /// What the standard library has from Swift 6.3 on: there the bytes are written where they stay, here they are copied once.
    extension [UInt8] {
        /// Adds bytes that a closure writes into room for so many.
        mutating func append(addingCapacity capacity: Int, initializingWith write: (inout OutputSpan<UInt8>) -> Void) {
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
                var text = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                write(&text)
                let count = unsafe text.finalize(for: buffer)
                unsafe append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }
#endif
