internal import Delivery
internal import Readings
internal import Varlink

/// A stream's part for one request, as one daemon leaves it to the next.
struct HandedPart: Equatable {
    var request: Request
    let intervalNanoseconds: Int64
    let batchNanoseconds: Int64
    /// How many readings it may have; nil: as many as the interval gives.
    var batchReadings: Int?
    /// Whether the grant must still be announced.
    var isGrantPending = false
    /// The slot of its lane in the ledger; nil: it has none.
    var lane: LedgerSlot?
    /// What the client has received, and its pending gaps.
    var account: ClientAccount
    /// The client has received what was due up to this instant, and other clients of the resource have received more; nil: it
    /// has received as much as they have.
    var servedUntil: BootTime?
    /// When the part's next reading was due then; nil: nobody knows.
    var formerDue: BootTime?

    /// More than any length of time that is granted, and far from where sums overflow.
    private static let lengths: ClosedRange<Int64> = 0...(1 << 60)
    private static let readings: ClosedRange<Int64> = 1...Int64(Grant.readingsPerReply)
    private static let slots: ClosedRange<Int64> = 0...Int64(LedgerLayout.lanes - 1)

    init(_ request: Request, intervalNanoseconds: Int64, batchNanoseconds: Int64, _ account: ClientAccount) {
        self.request = request
        self.intervalNanoseconds = intervalNanoseconds
        self.batchNanoseconds = batchNanoseconds
        self.account = account
    }

    var grant: Grant {
        Grant(request, held: intervalNanoseconds, batchNanoseconds: batchNanoseconds, batchReadings: batchReadings)
    }

    /// The readings that were due to the client after it was last served, and that others received up to the last sample; the
    /// device had this period.
    func missed(until last: BootTime?, periodNanoseconds: Int64?) -> Gap? {
        guard let from = servedUntil, let last else { return nil }
        var gap = Gap(cause: .restarted, count: nil, from: from, until: max(from, last))
        guard let formerDue, let nextDue = account.nextDue, intervalNanoseconds > periodNanoseconds ?? 0
        else { return from < last ? gap : nil }
        let count = (nextDue - formerDue) / intervalNanoseconds
        guard count > 0 else { return nil }
        gap.count = Int(clamping: count)
        // Readings that were due in a silence lie behind the last sample.
        gap.until = max(gap.until, nextDue + -intervalNanoseconds)
        return gap
    }

    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly(
            "request", "interval", "batch", "batchReadings", "owesGrant", "since", "outagesFrom", "delivered", "lost",
            "gaps", "due", "lane")
        let lost = try parameters.object("lost")
        try lost.allowOnly(Gap.Cause.allCases.map(\.rawValue))
        var losses = Losses()
        for cause in Gap.Cause.allCases { losses[cause] = try lost.count(cause.rawValue) }
        request = try Request(parameters.object("request"))
        intervalNanoseconds = try parameters.integer("interval", in: Self.lengths)
        batchNanoseconds = try parameters.integer("batch", in: Self.lengths)
        batchReadings = try parameters.optionalInteger("batchReadings", in: Self.readings).map { Int($0) }
        isGrantPending = try parameters.optionalBool("owesGrant") ?? false
        lane = try parameters.optionalInteger("lane", in: Self.slots).map { LedgerSlot(Int($0)) }
        account = ClientAccount(
            since: try parameters.instant("since"),
            outagesFrom: try parameters.optionalInstant("outagesFrom"),
            delivered: Int(try parameters.integer("delivered", in: 0...(1 << 53))),
            losses: losses,
            pendingGaps: try parameters.gaps("gaps", of: request.resource),
            nextDue: try parameters.optionalInstant("due"))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("request")
        writer.request(request)
        writer.member("interval", intervalNanoseconds)
        writer.member("batch", batchNanoseconds)
        writer.member("batchReadings", batchReadings.map { Int64($0) })
        if isGrantPending { writer.member("owesGrant", true) }
        writer.member("since", account.since.nanoseconds)
        writer.member("outagesFrom", account.outagesFrom?.nanoseconds)
        writer.member("delivered", Int64(account.delivered))
        writer.key("lost")
        writer.losses(account.losses)
        writer.gaps(account.pendingGaps, of: request.resource)
        writer.member("due", account.nextDue?.nanoseconds)
        writer.member("lane", lane.map { Int64($0.number) })
        writer.endObject()
    }
}

extension JSONWriter {
    /// A request as the interface has it.
    mutating func request(_ request: Request) {
        beginObject()
        member("resource", request.resource.description)
        member("label", request.label)
        member("intervalNanoseconds", request.intervalNanoseconds)
        member("batchNanoseconds", request.batchNanoseconds)
        member("filter", request.filter?.rawValue)
        member("minimumChange", request.minimumChange)
        if request.wantsSatellites { member("satellites", true) }
        if request.wantsPacked { member("packed", true) }
        member("alignTo", request.alignTo)
        endObject()
    }
}
