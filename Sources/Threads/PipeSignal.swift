import Glibc

/// Runs `body`, which may write to a pipe or a connection that the other side has closed. On this
/// thread, and as long as `body` runs, such a write fails with EPIPE and raises no signal
/// (SIGPIPE).
package func withoutPipeSignal<Result>(_ body: () -> Result) -> Result {
  var (pipe, before) = (sigset_t(), sigset_t())
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &pipe, &before)
  defer {
    // What was raised meanwhile is taken away, unless it waited before.
    if sigismember(&before, SIGPIPE) == 0 {
      var now = timespec()
      _ = sigtimedwait(&pipe, nil, &now)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
  return body()
}
