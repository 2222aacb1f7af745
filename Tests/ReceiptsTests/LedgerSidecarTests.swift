import SystemPackage
import TestSupport
import Testing

@testable import Receipts

@Suite("Sidecars of earlier runs") struct LedgerSidecarTests {
  private let project = Project()

  private func claim(_ companions: [String]) -> ExportInputs {
    var claim = project.claim()
    claim.outputs[0].companions = companions.map(project.path)
    return claim
  }

  private func stale(_ claim: ExportInputs) -> [String] {
    Ledger(in: project.state).staleSidecars(of: claim).compactMap { $0.lastComponent?.string }
  }

  @Test(
    "those that a receipt names, that are as they were written, and that are not written any more")
  func stale() throws {
    for name in ["a.wav", "out.mp3", "out.vtt", "out.srt", "out.txt", "other.vtt"] {
      try project.write(name, name)
    }
    #expect(stale(claim([])) == [])
    #expect(
      try Ledger(in: project.state).record(claim(["out.vtt", "out.srt", "other.vtt"])))
    #expect(stale(claim([])) == ["out.vtt", "out.srt"])
    #expect(stale(claim(["out.vtt"])) == ["out.srt"])
    try project.write("out.srt", "mine, and longer")
    #expect(stale(claim([])) == ["out.vtt"])
    #expect(Ledger(in: project.state).remove(staleSidecar: project.path("out.vtt")) == nil)
    #expect(stale(claim([])) == [])
    #expect(Ledger(in: project.state).remove(staleSidecar: project.path("out.vtt")) == nil)
  }
}
