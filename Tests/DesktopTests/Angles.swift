import Glibc

/// The sine, under a name that differs from the C library's.
func sine(_ angle: Double) -> Double { sin(angle) }

/// The cosine.
func cosine(_ angle: Double) -> Double { cos(angle) }
