import SystemPackage
import TestSupport
import Testing

@testable import Receipts

@Suite("Loops in receipts")
struct LedgerLoopTests {
  private let project = Project()

  init() throws {
    try project.write("a.wav", "sound")
    try project.write("out.mp3", "result")
  }

  private func ledger() -> Ledger { Ledger(in: project.state) }

  @Test(
    "what another loop, or none, is known to have made becomes the loop's that finds it as it is")
  func loops() throws {
    let claim = project.claim()
    let output = project.path("out.mp3")
    // As receipts were before loops had numbers.
    #expect(try ledger().record(claim))
    #expect(ledger().loop(of: output) == nil)
    var found = try ledger().reason(for: claim, by: 7)
    #expect(found.reason == nil && found.isOfAnotherLoop)
    ledger().note(7, thatMakes: claim)
    #expect(ledger().loop(of: output) == 7)
    found = try ledger().reason(for: claim, by: 7)
    #expect(found.reason == nil && !found.isOfAnotherLoop)
    found = try ledger().reason(for: project.claim(timeline: "9"), by: 8)
    #expect(found.reason != nil && !found.isOfAnotherLoop)
    ledger().note(nil, thatMakes: claim)
    #expect(ledger().loop(of: output) == nil)
    #expect(try ledger().reason(for: claim) == nil)
    // Not beside another process that works on it, but by that.
    guard case .granted(let lock) = ledger().begin(claim) else {
      Issue.record("no lock")
      return
    }
    ledger().note(7, thatMakes: claim)
    #expect(ledger().loop(of: output) == nil)
    ledger().writeLoop(7, of: claim, holding: lock)
    #expect(ledger().loop(of: output) == 7)
    lock.end()
  }

  @Test("a receipt that another job has written meanwhile keeps its loop")
  func others() throws {
    let output = project.path("out.mp3")
    let other = project.claim(timeline: "9")
    #expect(try ledger().record(other, written: Project.written(other), by: 8) { false })
    ledger().note(7, thatMakes: project.claim())
    #expect(ledger().loop(of: output) == 8)
    guard case .granted(let lock) = ledger().begin(other) else {
      Issue.record("no lock")
      return
    }
    defer { lock.end() }
    ledger().writeLoop(7, of: project.claim(), holding: lock)
    #expect(ledger().loop(of: output) == 8)
    ledger().writeLoop(7, of: other, holding: lock)
    #expect(ledger().loop(of: output) == 7)
  }
}
