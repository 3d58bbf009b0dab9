// A lock is not of one system, but who works with a system needs one.
@_exported public import Locking
