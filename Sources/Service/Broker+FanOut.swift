internal import Delivery
internal import Readings

/// The last step of a reading's way: from its lanes to the sockets.
extension Broker {
    /// Sends each lane's outgoing reply to its members: encoded once, handed to each socket without waiting.
    func fanOut(_ resource: ServedResource, _ now: BootTime, onlyGathering: Bool = false) {
        guard resource.core.hasOutgoing(onlyGathering: onlyGathering) else { return }
        tellAnnouncements(toMembersOf: resource, onlyGathering: onlyGathering, now)
        // A stream that gathers batches is not taken over after a crash.
        if !onlyGathering { beginRound(resource) }
        defer { if !onlyGathering { endRound(resource) } }
        // In a variable of this function's own nothing is counted or checked anew for each member.
        var payload = LanePayload()
        swap(&payload, &self.payload)
        let clients = server.table
        let (name, number, goesOn) = (resource.core.name, resource.index, resource.core.grid != nil)
        resource.core.sendOutgoing(onlyGathering: onlyGathering) { lane in
            let nextDue = goesOn ? lane.nextDue : nil
            beginLane(lane.place, nextDue: nextDue, number)
            payload.begin(lane, of: name)
            for index in lane.members.indices {
                if let portion = payload.sole, case .connection(let token) = lane.members[index].client,
                    lane.members[index].wantsAll(of: portion)
                {
                    // Nearly all of them, nearly always: so it is here, and short.
                    switch clients.withConnection(token, { payload.sendSole(on: $0, now: now) }) {
                    case true?: lane.members[index].didDeliver(portion)
                    case false?: lane.members[index].didMiss(payload.readings[...])
                    case nil: break
                    }
                } else {
                    send(&payload, to: &lane.members[index], among: clients, now)
                }
            }
            payload.end()
            endLane(lane.place, nextDue: nextDue, number)
        }
        swap(&payload, &self.payload)
    }

    private func send(
        _ payload: inout LanePayload, to member: inout Member, among clients: ConnectionTable, _ now: BootTime
    ) {
        let token: ConnectionToken
        switch member.client {
        case .connection(let connection): token = connection
        case .derivation(let index):
            derivations[index].take(payload.readings, as: &member)
            return
        }
        let content = payload.content(for: member)
        guard content != .nothing else { return }
        let isSent = clients.withConnection(token) { payload.send(content, on: $0, now: now) }
        guard let isSent else { return }
        if isSent {
            if let portion = payload.portion(of: content) { member.didDeliver(portion) }
            for gap in payload.gaps where member.concerns(gap) { member.didLearn(of: gap) }
        } else {
            member.didMiss(payload.readings(in: content))
            for gap in payload.gaps where member.concerns(gap) { member.didNotLearn(of: gap) }
        }
    }

    /// Sends one client what its lane has gathered so far, for it leaves: the batch of the others goes on.
    func sendGathered(_ index: Int, to client: ConnectionToken, _ now: BootTime) {
        let resource = resources[index]
        let name = resource.core.name
        resource.core.withPlace(of: .connection(client)) { lane, member in
            guard lane.hasContent else { return }
            var payload = LanePayload()
            payload.begin(lane, of: name)
            send(&payload, to: &lane.members[member], among: server.table, now)
        }
    }
}
