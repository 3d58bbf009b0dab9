internal import Readings

/// Whether more than one refill may be there.
///
/// While reads keep up with the device, one refill is all there is, and looking for another would cost each look a call that finds
/// nothing. A read that comes late, or a little late several times, takes all there is. Should the device be faster than its pace,
/// nothing is lost: its descriptor stays readable.
struct BacklogWatch {
    /// When the next refill is due; how long the first one has been there is not known.
    private var due = Int64.min

    /// Notes a read, and returns whether it is to take more than one refill.
    mutating func read(at instant: Int64, refillNanoseconds refill: Int64) -> Bool {
        let isLate = instant >= due.addingSaturating(refill / 2)
        due = (isLate ? instant : min(due, instant)).addingSaturating(refill)
        return isLate
    }
}
