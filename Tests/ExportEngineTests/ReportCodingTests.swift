import Diagnosis
import FoundationEssentials
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@testable import ExportEngine

@Suite("A report as JSON")
struct ReportCodingTests {
  @Test("a report is decoded as it was encoded")
  func report() throws {
    let output = WrittenOutput(
      path: "out/a.mp3", size: 1 << 40, frameCount: .max, sampleRate: 44_100, channelCount: 2,
      clippedSamples: 3, peak: 0.1,
      sidecars: [WrittenSidecar(kind: .chapters(.podlove), path: "out/a.psc", size: 7)])
    let report = ExportSession.Report(
      outputs: [output], duration: Time(value: 1, timescale: 3),
      warnings: [Warning("is odd", path: "a.wav", origin: Origin(rawValue: 5))])
    let decoded = try JSONDecoder().decode(
      ExportSession.Report.self, from: try JSONEncoder().encode(report))
    #expect(decoded.outputs == report.outputs)
    #expect(decoded.duration == report.duration)
    #expect(decoded.warnings == report.warnings)
  }
}
