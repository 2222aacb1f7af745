import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import Threads

/// The streams of some sources. Few are open at once: a job may join thousands of files.
struct OpenSources<Stream> {
  /// The last one used comes last.
  private var open: [(asset: Asset, stream: Stream)] = []
  private let most: Int

  /// At most so many are open.
  init(most: Int) { self.most = most }

  /// The stream of an asset, which `make` opens.
  mutating func stream(
    of asset: Asset, _ make: (Asset) throws(Failure) -> Stream
  ) throws(Failure) -> Stream {
    if let place = open.firstIndex(where: { $0.asset == asset }) {
      open.append(open.remove(at: place))
    } else {
      let stream = try make(asset)
      open = open.suffix(most - 1) + [(asset, stream)]
    }
    return open[open.count - 1].stream
  }
}

/// The packets of a plan's sources.
final class PacketSources {
  private let plan: CopyPlan
  private let library: MediaLibrary
  private let cancellation: CancellationFlag
  /// A copy, and the one behind it.
  private var open = OpenSources<SourcePackets>(most: 3)
  /// The copied parts.
  private let copies: [CopiedPart]

  /// Opens none yet; once `cancellation` is set, reading throws.
  init(_ plan: CopyPlan, _ library: MediaLibrary, unless cancellation: CancellationFlag) {
    (self.plan, self.library, self.cancellation) = (plan, library, cancellation)
    copies = plan.parts.filter { $0.source != nil }
  }

  /// The packets of a copy's source, where they were left.
  ///
  /// - Throws: The failure of a source that cannot be read, has changed, or is set up otherwise than
  ///   the first one.
  func packets(_ number: Int) throws(Failure) -> SourcePackets {
    let asset = plan.assets[number]
    let packets = try open.stream(of: asset) { asset throws(Failure) in
      try library.openPackets(of: asset, unless: cancellation)
    }
    guard plan.parts.count == 1 || packets.setup == plan.setup else { throw packets.broken }
    return packets
  }

  /// How many frames later than in its stream a copy's sound lies in the output.
  func offset(of number: Int) throws(Failure) -> Int64 {
    let part = copies[number]
    return part.frames.lowerBound - (try packets(number)).raw(part.source?.frame ?? 0)
  }
}
