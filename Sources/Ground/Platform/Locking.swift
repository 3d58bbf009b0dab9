// Neither a lock nor a length of time is of one system, but who works with a system needs both.
@_exported public import Locking
@_exported public import Timing
