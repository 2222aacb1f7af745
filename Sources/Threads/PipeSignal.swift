import Glibc

/// Runs what may write to a pipe or a connection that the other side has closed: that is an error of
/// the write then, and no signal (SIGPIPE), for this thread and as long as `body` runs.
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
