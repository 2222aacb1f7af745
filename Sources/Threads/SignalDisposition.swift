import Glibc

/// What this process does when a signal comes (sigaction(2)).
package enum SignalDisposition {
  /// Whether a signal is ignored (`SIG_IGN`). Until the process changes that, this is what it was started
  /// with: `nohup` ignores SIGHUP, and a shell without job control SIGINT of what it starts with `&`.
  ///
  /// A signal that is blocked waits in spite of that, so a process that is to leave it ignored must not
  /// block it. Safe from any thread.
  ///
  /// - Parameter signal: Its number.
  /// - Returns: False also where the system has no such signal.
  package static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    // Closures cannot be compared, so both handlers are compared as addresses. Invariant: a handler is one
    // pointer to a C function, or nil for SIG_DFL, in Swift an optional of the size of an Int;
    // `unsafeBitCast` traps where the sizes differ, at the first start of any command. No handler is called
    // or kept by its address, and none but SIG_IGN has the address 1, at which no function can lie.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
