import Glibc
import Testing

@testable import Threads

@Suite struct SignalDispositionTests {
  @Test("a signal is ignored from SIG_IGN on, until it has its default or a handler again")
  func ignored() {
    // No other test has this one.
    let before = signal(SIGXCPU, SIG_IGN)
    defer { signal(SIGXCPU, before) }
    #expect(SignalDisposition.isIgnored(SIGXCPU))
    signal(SIGXCPU, SIG_DFL)
    #expect(!SignalDisposition.isIgnored(SIGXCPU))
    signal(SIGXCPU) { _ in }
    #expect(!SignalDisposition.isIgnored(SIGXCPU))
  }

  @Test("a signal that does not exist is not ignored", arguments: [0, -1, 4096] as [Int32])
  func nonexistent(number: Int32) { #expect(!SignalDisposition.isIgnored(number)) }
}
