import Foundation
import Testing

@testable import Platform

@Suite("The host's users and groups") struct AccountsTests {
    @Test("are looked up by several threads at the same time")
    func concurrent() async {
        let names = ["root", "daemon", "bin", "sys", "adm", "tty", "disk", "mail"].filter {
            Accounts.groupID(named: $0) != nil
        }
        let ids = names.map { Accounts.groupID(named: $0) }
        #expect(Set(ids).count == names.count && names.count > 1)
        await withTaskGroup(of: Int.self) { group in
            for first in 0..<4 {
                group.addTask {
                    (0..<3_000).count { turn in
                        let index = (first + turn) % names.count
                        return Accounts.groupID(named: names[index]) != ids[index]
                    }
                }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
    }

    @Test("are empty if the host does not know the user or the group")
    func unknown() {
        #expect(Accounts.groupID(named: "no such group") == nil)
        #expect(Accounts.groupIDs(ofUser: 4_000_000_007).isEmpty)
        #expect(Accounts.groupIDs(ofUser: 0).contains(0))
    }
}
