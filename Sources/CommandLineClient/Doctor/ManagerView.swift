/// Whether systemd runs on the host and answers questions about its units.
enum ManagerView: Equatable {
    /// It runs and answers.
    case answers
    /// It does not run.
    case absent
    /// It runs but does not answer; the reason, in the words of `systemctl`.
    case silent(String)
}
