import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import VideoBitstream

/// Makes the packets of an output's picture from ranges of sources: copied wherever decoding can begin
/// with a picture of the range and no picture beyond its end is needed, and encoded around cuts.
///
/// For each range: from its first picture to the next entry (`PictureKind`) pictures are encoded; from
/// there on they are copied in order of decoding, up to the last one behind which no picture of the
/// range is missing; what is left before the end is encoded. Where fades change pictures, it is as if the
/// range ended there and went on behind them. Memory is bounded by the pictures that are read ahead.
final class PictureCutter {
  private var ranges: ArraySlice<PictureRange>
  private let reels: PictureReels
  private var assembler: PictureAssembler
  private var pending: ArraySlice<Packet> = []
  private var work = Work.next
  private var ahead = PacketsAhead()
  /// The source that is read.
  private(set) var source = 0
  /// The picture that is shown first: its source, and when it is shown there.
  private(set) var first: (source: Int, shown: Int64)?

  /// What is to be done next.
  private enum Work {
    /// The next range.
    case next
    /// On in a range: from its start, or from the picture of a tick.
    case enter(PicturePassage, Int64?)
    case encode(PicturePassage, RangeEncoder, EncodedRun?)
    case copy(PicturePassage, PictureCopy)
  }

  /// A picture of `ranges`, in order, whose packets are put together by `assembler`.
  init(_ ranges: [PictureRange], of reels: PictureReels, _ assembler: PictureAssembler) {
    (self.ranges, self.reels, self.assembler) = (ranges[...], reels, assembler)
  }

  /// The next packet in order of decoding, in ticks of the output; nil at the end. What is shown last is
  /// shown to the output's end.
  func next() throws(LibAVError) -> Packet? {
    let packet = try ahead.next(ready) { $0.extend(to: assembler.lastTick) }
    if packet == nil, assembler.isEmpty { throw LibAVError.noPicture }
    return packet
  }

  private func ready() throws(LibAVError) -> Packet? {
    while pending.isEmpty {
      switch work {
      case .next:
        guard let range = ranges.popFirst() else { return nil }
        source = range.source
        work = .enter(PicturePassage(range, of: try reels.reel(range.source)), nil)
      case .enter(let passage, let tick): try enter(passage, at: tick)
      case .encode(let passage, let encoder, let run): try encodeOn(passage, encoder, run)
      case .copy(let passage, let copy): try copyOn(passage, copy)
      }
    }
    return pending.popFirst()
  }

  private func enter(_ old: PicturePassage, at tick: Int64?) throws(LibAVError) {
    work = .next
    var passage = old
    guard let entrance = try passage.enter(at: tick, encodes: !assembler.isStrict) else { return }
    if first == nil { first = (source, entrance.first) }
    let reel = passage.reel
    if entrance.isCopied, let picture = entrance.window.pictures.first {
      // At the very start what follows the entry is as it is in the source.
      let isWhole = entrance.isFromStart && assembler.isEmpty
      work = .copy(
        passage,
        PictureCopy(
          entrance.window, from: isWhole ? nil : picture.shown,
          try assembler.beginCopy(of: reel, from: isWhole ? .entry : picture.kind)))
      return
    }
    if assembler.isStrict { throw passage.strictRefusal(entrance, isCut: tick == nil) }
    let decoder = try RangeDecoder(
      passage, entrance.window, from: entrance.first,
      to: { [passage] in passage.isEntry($0, until: $1, behind: entrance.first) },
      assembler.observer(of: reel))
    work = .encode(passage, RangeEncoder(decoder, of: passage, reels), nil)
  }

  /// Encodes the next pictures, up to an entry or to the range's end.
  private func encodeOn(
    _ passage: PicturePassage, _ encoder: RangeEncoder, _ run: EncodedRun?
  ) throws(LibAVError) {
    guard let pictures = try encoder.next() else {
      work = .next
      guard let entry = encoder.decoder.entry else { return }
      work = .copy(
        passage,
        PictureCopy(
          encoder.decoder.window, from: entry.shown,
          try assembler.beginCopy(
            of: passage.reel, from: entry.kind, after: encoder.decoder.observer)))
      return
    }
    var run = run
    if encoder.beginsRun {
      run = try assembler.beginRun(of: passage.reel, encoder.header)
    }
    reels.tally.encoded += pictures.count
    pending += try run?.packets(of: pictures, &assembler, passage.time) ?? []
    work = .encode(passage, encoder, run)
  }

  // MARK: - Copying

  /// Copies the next pictures behind which none is missing, or goes over to encoding.
  private func copyOn(_ old: PicturePassage, _ begun: PictureCopy) throws(LibAVError) {
    work = .next
    var (passage, copy) = (old, begun)
    switch try copy.next(of: &passage) {
    case .copied(let pictures):
      reels.count(copied: pictures, of: passage.reel)
      pending += try assembler.copied(pictures, of: passage.reel, passage.time)
      work = .copy(passage, copy)
    case .entered(let tick): work = .enter(passage, tick)
    case .ended: break
    }
  }
}
