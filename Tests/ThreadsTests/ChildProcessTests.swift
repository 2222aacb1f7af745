import Glibc
import Testing

@testable import Threads

@Suite struct ChildProcessTests {
  private func shell(_ script: String, _ environment: [String: String] = [:]) throws -> ChildProcess
  {
    try ChildProcess.spawn("/bin/sh", arguments: ["-c", script], environment: environment)
  }

  private func lines(of child: ChildProcess) -> [String] {
    var lines: [String] = []
    while true {
      switch child.readLine(within: .seconds(60)) {
      case .line(let line): lines.append(String(decoding: line, as: UTF8.self))
      case .nothing: break
      case .end, .endless: return lines
      }
    }
  }

  @Test("A child reads all that it is sent, and its lines come back whole, of any length")
  func lines() throws {
    let script = """
      text=$(cat; echo .)
      printf %s "${text%.}"
      echo "$WORD"
      printf unfinished
      """
    let child = try shell(script, ["WORD": "said"])
    let long = String(repeating: "x", count: 100_000)
    // It takes all before it says anything: both pipes hold less.
    #expect(child.send(Array("a\n\n\(long)\n".utf8)))
    #expect(lines(of: child) == ["a", "", long, "said"])
    #expect(child.wait() == .exited(0))
    #expect(child.wait() == .exited(0))
  }

  @Test("How a child ended: its status, or the signal")
  func ends() throws {
    let failed = try shell("exit 7")
    #expect(lines(of: failed) == [])
    #expect(failed.wait() == .exited(7))
    let crashed = try shell("kill -SEGV $$")
    #expect(crashed.wait() == .signalled(SIGSEGV))
    let stopped = try shell("echo ready; exec sleep 1000")
    #expect(stopped.readLine(within: .seconds(60)) == .line(Array("ready".utf8)))
    #expect(stopped.readLine(within: .milliseconds(1)) == .nothing)
    stopped.signal(SIGTERM)
    #expect(stopped.wait() == .signalled(SIGTERM))
    // Nobody is hit by a signal for a process that is gone.
    stopped.signal(SIGKILL)
    #expect(throws: ChildProcess.SystemError.self) {
      try ChildProcess.spawn("/no/such/program", arguments: [])
    }
  }

  @Test("A child that does not read is no end of this process")
  func deaf() throws {
    let child = try shell("exec <&-; echo closed; exec sleep 1000")
    #expect(child.readLine(within: .seconds(60)) == .line(Array("closed".utf8)))
    #expect(!child.send([UInt8](repeating: 0, count: 1 << 20)))
    child.signal(SIGKILL)
    #expect(child.wait() == .signalled(SIGKILL))
  }

  @Test("A child has a group of its own and blocks no signal, whatever its parent blocks")
  func freshStart() throws {
    var (blocked, before) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGUSR1)
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let child = try shell("grep ^SigBlk /proc/self/status; ps -o pgid= -p $$ | tr -d ' '")
    #expect(lines(of: child) == ["SigBlk:\t0000000000000000", "\(child.id)"])
  }

  @Test("A child that nobody waits for any more is killed")
  func abandoned() throws {
    var child: ChildProcess? = try shell("echo ready; exec sleep 1000")
    #expect(child?.readLine(within: .seconds(60)) == .line(Array("ready".utf8)))
    let id = child?.id ?? 0
    child = nil
    #expect(kill(id, 0) != 0)
  }

  @Test("A line that does not end is given up when it is longer than any may be")
  func endless() throws {
    let script = "echo short; head -c 3000000 /dev/zero | tr '\\0' x; exec sleep 1000"
    let child = try ChildProcess.spawn("/bin/sh", arguments: ["-c", script], longestLine: 1 << 20)
    #expect(child.readLine(within: .seconds(60)) == .line(Array("short".utf8)))
    #expect(child.readLine(within: .seconds(60)) == .endless)
    #expect(child.readLine(within: .seconds(60)) == .endless)
    child.signal(SIGKILL)
    #expect(child.wait() == .signalled(SIGKILL))
  }

  @Test("What a child writes to standard error is on no screen; the end of it is kept")
  func complaints() throws {
    let long = String(repeating: "y", count: 400)
    let flood = try shell(
      "seq 100000 >&2; echo ready; printf '\\n \\n\(long)\\nlast' >&2; exec sleep 0")
    // Errors that nobody takes would block it.
    #expect(lines(of: flood) == ["ready"])
    #expect(
      flood.lastComplaints(3) == ["100000", String(repeating: "y", count: 300), "last"])
    #expect(flood.wait() == .exited(0))
    let silent = try shell("exec 2>&-; echo ready")
    #expect(lines(of: silent) == ["ready"])
    #expect(silent.lastComplaints(3) == [])
  }

  @Test("A child that says a line byte by byte has no longer for it than one that says nothing")
  func trickling() throws {
    let child = try shell(
      """
      (for n in $(seq 100000); do printf x; sleep .01; done; echo end) & trickle=$!
      cat
      kill $trickle; wait $trickle
      echo y
      """)
    // Long before its quarter of an hour is over; without a time, too.
    for _ in 0..<3 { #expect(child.readLine(within: .milliseconds(100)) == .nothing) }
    #expect(child.readLine(within: .zero) == .nothing)
    #expect(child.send([]))
    // What was said meanwhile is not lost.
    #expect(lines(of: child).map { $0.drop { $0 == "x" } } == ["y"])
  }

  @Test("A child whose end somebody else has taken is gone, and nobody waits for it")
  func takenElsewhere() throws {
    for waits in [true, false] {
      let child = try shell("exit 7")
      var status: Int32 = 0
      while waitpid(child.id, &status, 0) < 0, errno == EINTR {}
      #expect((waits ? child.wait(within: .seconds(100_000)) : child.wait()) == .unknown)
      #expect(child.wait() == .unknown)
    }
  }

  @Test("A child that was stopped keeps nobody waiting for longer than he wants to")
  func stopped() throws {
    let child = try shell("echo ready; kill -STOP $$; cat")
    #expect(child.readLine(within: .seconds(60)) == .line(Array("ready".utf8)))
    var asked = 0
    let isSent = child.send([UInt8](repeating: 0, count: 1 << 20)) {
      asked += 1
      return asked > 2
    }
    #expect(!isSent)
    #expect(child.wait(within: .milliseconds(20)) == nil)
    child.signal(SIGKILL)
    #expect(child.wait(within: .seconds(60)) == .signalled(SIGKILL))
    #expect(child.wait(within: .zero) == .signalled(SIGKILL))
  }

  @Test("The memory of the process that starts a child is not the child's")
  func peakMemory() throws {
    #expect([UInt8](repeating: 1, count: 300 << 20).count == 300 << 20)
    let child = try shell("exit 0")
    #expect(child.peakMemory == 0)
    #expect(child.wait() == .exited(0))
    #expect(child.peakMemory == 0)
  }

  @Test("A number can be read that a child has shared before it was killed")
  func sharedNumber() throws {
    let number = try #require(SharedNumber())
    let child = try ChildProcess.spawn(
      "/bin/sh", arguments: ["-c", "printf '\\007' >&3; kill -KILL $$"], sharing: number)
    #expect(child.wait() == .signalled(SIGKILL))
    #expect(number.value == 7)
  }
}
