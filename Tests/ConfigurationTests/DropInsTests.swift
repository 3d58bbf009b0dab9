import Configuration
import Testing

@Suite("Drop-ins") struct DropInsTests {
    @Test("are read in the order of their names, whatever their directories")
    func order() {
        #expect(
            DropIns.paths([("/etc", ["50-b.conf", "9.conf"]), ("/usr/lib", ["10-a.conf", "60-c.conf"])])
                == ["/usr/lib/10-a.conf", "/etc/50-b.conf", "/usr/lib/60-c.conf", "/etc/9.conf"])
    }

    @Test("of one name: that of the stronger directory replaces the others")
    func precedence() {
        #expect(
            DropIns.paths([("/etc", ["a.conf"]), ("/run", ["a.conf", "b.conf"]), ("/usr/lib", ["b.conf", "c.conf"])])
                == ["/etc/a.conf", "/run/b.conf", "/usr/lib/c.conf"])
    }

    @Test("are only files called .conf that are not hidden")
    func names() {
        #expect(
            DropIns.paths([("/etc", ["a.conf~", "b.conf.dpkg-new", ".c.conf", "d.Conf", "README", "e.conf"])])
                == ["/etc/e.conf"])
    }
}
