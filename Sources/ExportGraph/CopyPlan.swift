import MPEGAudio
import MediaComposition

/// What an output copies from its sources, and what it encodes.
package struct CopyPlan: Sendable, Hashable, Encodable {
  /// How an output is made of its sources.
  package enum Method: Sendable, Hashable, Encodable {
    /// Frames of the codec, where the layout says; those around them are encoded.
    case frames(CopyLayout)
    /// All packets of one source, whose codec needs all of them.
    case whole
    /// The sound is rendered and encoded, and where it is copied not dithered.
    case samples
  }

  /// How it is made.
  package let method: Method
  /// All of the output, in order.
  package let parts: [CopiedPart]
  /// The source of each copied part, in their order.
  package let assets: [Asset]
  /// What the decoders of all copied packets are set up with (`Asset.packetSetup`); nil where one clip
  /// alone is copied, and where frames say it themselves.
  package let setup: String?

  init(_ method: Method, assets: [Asset], parts: [CopiedPart], setup: String? = nil) {
    self.method = method
    self.setup = setup
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

extension Sink {
  /// The parts of an output whose copied ones are not rendered for it; nil where all is rendered:
  /// samples that are copied are, too.
  package var sparedParts: [CopiedPart]? {
    copied.flatMap { $0.method == .samples ? nil : $0.parts }
  }
}
