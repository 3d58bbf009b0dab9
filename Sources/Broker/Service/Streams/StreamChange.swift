internal import Delivery

/// A change of a stream's parts, worked out as a whole before anything of it is carried out.
struct StreamChange {
    typealias Part = Subscription.Part

    let ended: [Part]
    /// The parts of new and changed requests, as they will be.
    let parts: [Part]
    /// Those of them that have another grant than before, or a label that they had not: they leave their lanes and join others.
    ///
    /// An unchanged grant goes on as it is.
    let regranted: [Part]
    /// What the regranted ones were before, as far as they are not new.
    let former: [Part]
    /// Those of the former that were for another resource: a label that is given to another resource's request ends the
    /// one that it belonged to.
    let moved: [Part]

    /// Ends and puts these parts; no request is among both.
    init(of stream: Subscription, ending ended: [Part], putting parts: [Part]) {
        assert(Set(ended.map(\.name) + parts.map(\.name)).count == ended.count + parts.count, "a request changes once")
        self.ended = ended
        self.parts = parts
        var (regranted, former, moved): ([Part], [Part], [Part]) = ([], [], [])
        for part in parts {
            let own = stream.part(named: part.name)
            if let own, own.resource == part.resource, own.grant == part.grant, own.request.label == part.request.label
            {
                continue
            }
            regranted.append(part)
            guard let own else { continue }
            former.append(own)
            if own.resource != part.resource { moved.append(own) }
        }
        self.regranted = regranted
        self.former = former
        self.moved = moved
    }

    var leaving: [Part] { ended + former }
}
