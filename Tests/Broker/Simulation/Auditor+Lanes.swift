internal import Delivery
internal import Readings

/// Checks of the core's own accounts after each turn.
extension Auditor {
    func checkLanes(_ core: borrowing Resource) {
        var shared: Set<Grant> = []
        var seen: Set<Client> = []
        for lane in core.lanes {
            expect(!lane.members.isEmpty, .lanes, "nobody is in the lane of \(lane.grant)")
            expect(!lane.hasOutgoing, .bounded, "\(lane.grant) has something left to send")
            expect(lane.readings.count <= Grant.readingsPerReply, .bounded, "\(lane.readings.count) readings are kept")
            expect(lane.gaps.isEmpty, .bounded, "\(lane.gaps.count) gaps are kept")
            if lane.grant.minimumChange == nil {
                expect(shared.insert(lane.grant).inserted, .lanes, "two lanes of \(lane.grant)")
            } else {
                expect(lane.members.count == 1, .lanes, "\(lane.members.count) share \(lane.grant)")
            }
            for member in lane.members {
                expect(seen.insert(member.client).inserted, .lanes, "\(member.client) is in two lanes")
                checkAccount(member, lane.grant)
            }
        }
        expect(seen.count == clients.count, .lanes, "\(clients.count - seen.count) clients have no lane")
    }

    private func checkAccount(_ member: Member, _ grant: Grant) {
        guard let client = clients[member.client] else {
            return expect(false, .lanes, "\(member.client) has left its lane and is there")
        }
        expect(client.grant == grant, .lanes, "\(member.client) is in the lane of \(grant), not \(client.grant)")
        expect(
            member.delivered == client.received && member.delivered + member.lost == client.handed, .account,
            "\(member.client): \(member.delivered) + \(member.lost), should be \(client.received) of \(client.handed)")
        guard !member.pendingGaps.isEmpty else {
            return expect(
                member.lost == client.reportedLost, .account,
                "\(member.client): \(member.lost) lost, reported \(client.reportedLost)")
        }
        var copy = member
        let pending = copy.catchUp(with: nil).gaps
        let lost = pending.filter { $0.cause == .slowClient }.compactMap(\.count).reduce(0, +)
        expect(pending.count <= 5, .bounded, "\(pending.count) gaps to report")
        expect(
            member.lost == client.reportedLost + lost, .account,
            "\(member.client): \(member.lost) lost, \(client.reportedLost) + \(lost)")
    }
}
