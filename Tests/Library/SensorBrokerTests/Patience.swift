extension Duration {
    /// What no reading needs that comes at all, however busy the host is: it only ends what hangs.
    static var patience: Self { .seconds(600) }
}
