import MediaComposition
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
    #expect(found.reason == nil && found.isOutdated)
    ledger().renew(claim, by: 7)
    #expect(ledger().loop(of: output) == 7)
    found = try ledger().reason(for: claim, by: 7)
    #expect(found.reason == nil && !found.isOutdated)
    found = try ledger().reason(for: project.claim(timeline: "9"), by: 8)
    #expect(found.reason != nil && !found.isOutdated)
    ledger().renew(claim, by: nil)
    #expect(ledger().loop(of: output) == nil)
    #expect(try ledger().reason(for: claim) == nil)
    // Not beside another process that works on it, but by that.
    guard case .granted(let lock) = ledger().begin(claim) else {
      Issue.record("no lock")
      return
    }
    ledger().renew(claim, by: 7)
    #expect(ledger().loop(of: output) == nil)
    ledger().renew(claim, by: 7, holding: lock)
    #expect(ledger().loop(of: output) == 7)
    lock.end()
  }

  @Test("texts that say the same are renewed in receipts, and those that decay are reasons")
  func texts() throws {
    let text = project.path("t.vtt")
    func write(_ words: String, at seconds: Int) throws -> ExportInputs {
      try project.write("t.vtt", words)
      touch(text, at: seconds)
      var claim = project.claim()
      claim.texts = FileIdentity(ofFileAt: text).map { [.init(.file(text), $0)] } ?? []
      return claim
    }
    func found(_ claim: ExportInputs, contents: Bool = true) throws -> (Reason?, isOutdated: Bool) {
      let ledger = Ledger(in: project.state, comparesContents: contents)
      let found = try ledger.reason(for: claim, by: nil)
      if found.isOutdated { ledger.renew(claim, by: nil) }
      return found
    }
    // As receipts were before they had texts.
    #expect(try Ledger(in: project.state, comparesContents: true).record(project.claim()))
    var claim = try write("words", at: 1_000_000)
    #expect(try found(claim, contents: false) == (nil, false))
    #expect(try found(claim) == (nil, true))
    #expect(try found(claim) == (nil, false))
    claim = try write("wordS", at: 1_000_000)
    guard case .sourceDecayed(.file(text), _, _)? = try found(claim).0 else {
      Issue.record("a text that has decayed is up to date")
      return
    }
    #expect(try found(claim, contents: false) == (nil, false))
    claim = try write("wordS", at: 1_000_001)
    #expect(try found(claim) == (nil, true))
    #expect(try found(claim) == (nil, false))
    claim = try write("words", at: 1_000_001)
    #expect(try found(claim).0 != nil)
  }

  @Test("a receipt that another job has written meanwhile keeps its loop")
  func others() throws {
    let output = project.path("out.mp3")
    let other = project.claim(timeline: "9")
    #expect(try ledger().record(other, written: Project.written(other), by: 8) { false })
    ledger().renew(project.claim(), by: 7)
    #expect(ledger().loop(of: output) == 8)
    guard case .granted(let lock) = ledger().begin(other) else {
      Issue.record("no lock")
      return
    }
    defer { lock.end() }
    ledger().renew(project.claim(), by: 7, holding: lock)
    #expect(ledger().loop(of: output) == 8)
    ledger().renew(other, by: 7, holding: lock)
    #expect(ledger().loop(of: output) == 7)
  }
}
