import MPEGAudio
import MediaComposition

/// What an output copies from its sources, and what it encodes.
public struct CopyPlan: Sendable, Hashable, Encodable {
  /// All of the output, in order.
  public let parts: [CopiedPart]
  /// The source of each copied part, in their order.
  package let assets: [Asset]
  /// Where copied frames lie; nil where samples are copied.
  package let layout: CopyLayout?

  init(_ layout: CopyLayout?, assets: [Asset], parts: [CopiedPart]) {
    self.layout = layout
    self.assets = assets
    self.parts = parts
  }

  /// Whether nothing is encoded.
  var isWhole: Bool { parts.allSatisfy { $0.source != nil } }

  /// The parts, where encoders have met copies elsewhere than planned.
  package func parts(in layout: CopyLayout) -> [CopiedPart] {
    var (copies, runs) = (layout.copies[...], layout.encoded[...])
    return parts.map { part in
      var part = part
      if part.source != nil, let copy = copies.popFirst() {
        let first = part.frames.lowerBound
        part.frames = layout.samples(of: copy.frames)
        part.source?.frame += part.frames.lowerBound - first
        part.packetCount = copy.frames.count
        part.source?.firstPacket = copy.first
      } else if part.source == nil, let run = runs.popFirst() {
        part.frames = layout.samples(of: run)
        part.packetCount = run.count
      }
      return part
    }
  }
}

extension CopyLayout {
  /// The PCM frames of the output that `frames` of its codec become.
  func samples(of frames: Range<Int>) -> Range<Int64> {
    let first = max(0, firstSample(ofFrame: frames.lowerBound))
    return first..<max(first, min(length, firstSample(ofFrame: frames.upperBound)))
  }
}
