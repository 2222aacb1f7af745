/// Where each Layer III frame of a file lies, and which of the decoder's samples are the sound.
///
/// Decoding the frames in order gives `samplesPerFrame` PCM frames for each, without any delay of
/// the decoder's own. With a LAME or Lavc tag, the encoder's input starts at
/// `firstValidSample` = delay + 529 of them (529 is the decoder's share of the delay: 528 + 1, the
/// convention of LAME, ffmpeg and mpg123) and is `count · samplesPerFrame - delay - padding` long.
/// Without a tag everything counts, from 0, unless iTunes left a note (`noting(_:)`). The tag's own
/// frame is never part of the index.
///
/// Eight bytes a frame; an hour at 44.1 kHz has 137,813.
package struct FrameIndex: Sendable {
  /// The first frame's header: what all others agree with in version, layer and sample rate.
  package let header: FrameHeader
  /// What the encoder wrote about itself, if it did.
  package let tag: EncoderTag?
  /// What is odd about the file; each kind at most once.
  package let anomalies: [Anomaly]
  /// Bytes of all frames together, without the tag's.
  package let byteCount: Int
  /// Bytes between the tags at the file's start and end, without the tag's frame and without zeros
  /// before the first frame, whatever they hold.
  package let streamLength: Int
  /// Layer III frames.
  package let count: Int
  /// The frames that were found: all, but where the index is growing.
  var entries: [Entry]
  /// Whether the frames that were not found are taken for those of the constant bit rate of the others.
  var isConstant = false

  /// By how many PCM frames a Layer III decoder is late: 528 for its filter bank, and one.
  package static let decoderDelay = 529

  /// PCM frames of sound.
  package private(set) var validFrameCount: Int64
  /// Which of the decoder's PCM frames is the first of the sound.
  package private(set) var firstValidSample: Int
  /// Whether the file says where the sound starts and ends among the decoder's PCM frames.
  package private(set) var isGapless: Bool

  /// Indexes a whole file, in one pass that takes time linear in its size, whatever it holds.
  ///
  /// - Parameters:
  ///   - byteCount: The file's size.
  ///   - read: Fills bytes from an offset of the file on, and gives how many there were. Called in
  ///     order, for 256 KiB each, but for a few looks at the file's ends; what is held meanwhile is
  ///     no more than that.
  /// - Throws: `Refusal` where there is no Layer III stream.
  package init(
    byteCount: Int,
    reading read: @escaping (_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int
  ) throws(Refusal) {
    var scanner = try FrameScanner(FileWindow(count: byteCount, reading: read))
    scanner.find()
    self.init(scanner.result)
  }

  /// The index of all that a scan has found.
  init(_ scan: FrameScanner.Result) {
    self.init(
      scan, count: scan.entries.count, byteCount: scan.entries.reduce(0) { $0 + $1.length })
  }

  /// The index of `count` frames with `byteCount` bytes, of which a scan may have found some.
  init(_ scan: FrameScanner.Result, count: Int, byteCount: Int) {
    header = scan.header
    tag = scan.tag
    entries = scan.entries
    self.count = count
    self.byteCount = byteCount
    streamLength = scan.streamLength - scan.tagLength
    var anomalies = scan.anomalies
    let samples = Int64(count) * Int64(header.samplesPerFrame)
    let offset = Int64(scan.tag?.delay.map { $0 + Self.decoderDelay } ?? 0)
    var end = samples
    if let tag = scan.tag {
      // Some writers count the tag's frame too; the number of bytes then tells a whole file.
      let announced = tag.frameCount ?? count
      let isWhole =
        announced == count
        || (announced == count + 1 && tag.byteCount == scan.tagLength + byteCount)
      let announcedCount = isWhole ? count : announced
      if let padding = tag.padding, announcedCount >= count {
        // The padding lies at the announced end, wherever the file ends.
        let announcedEnd =
          Int64(announcedCount) * Int64(header.samplesPerFrame) - Int64(padding)
          + Int64(Self.decoderDelay)
        end = min(samples, announcedEnd)
      }
      if !isWhole {
        anomalies.append(.announcedFrameCount(announced, found: count))
      }
      if tag.isChecksumValid == false { anomalies.append(.tagChecksum) }
    }
    validFrameCount = max(0, end - offset)
    firstValidSample = Int(offset)
    isGapless = scan.tag?.delay != nil
    self.anomalies = anomalies
  }
}

extension FrameIndex {
  /// One frame in eight bytes: offset (42 bits, 4 TiB), mono, checksum, length (11), main data
  /// begin (9).
  struct Entry: Sendable, Hashable {
    private let bits: UInt64

    init(offset: Int, length: Int, mainDataBegin: Int, isMono: Bool, hasChecksum: Bool) {
      bits =
        UInt64(truncatingIfNeeded: offset) << 22 | (isMono ? 1 << 21 : 0)
        | (hasChecksum ? 1 << 20 : 0) | UInt64(truncatingIfNeeded: length) << 9
        | UInt64(truncatingIfNeeded: mainDataBegin)
    }

    var offset: Int { Int(bits >> 22) }
    var length: Int { Int(bits >> 9 & 0x7FF) }
    var mainDataBegin: Int { Int(bits & 0x1FF) }
    var isMono: Bool { bits & 1 << 21 != 0 }
    var hasChecksum: Bool { bits & 1 << 20 != 0 }
  }

  /// PCM frames a second.
  package var sampleRate: Int { header.sampleRate }
  /// Channels of the first frame.
  package var channelCount: Int { header.channelCount }
  /// PCM frames that each Layer III frame becomes.
  package var samplesPerFrame: Int { header.samplesPerFrame }

  /// All PCM frames that the decoder gives.
  package var decodedFrameCount: Int64 { Int64(count) * Int64(samplesPerFrame) }

  /// The same index with the sound that iTunes' note leaves, where the encoder wrote no delay itself
  /// and the note can be true of these frames: a file that was cut short ends where its frames do.
  package func noting(_ note: ITunesGapless) -> FrameIndex {
    let announced = Int64(note.delay) + note.length + Int64(note.padding)
    let first = note.delay + Self.decoderDelay
    guard !isGapless, announced >= decodedFrameCount, Int64(first) < decodedFrameCount
    else { return self }
    var index = self
    index.isGapless = true
    index.firstValidSample = first
    index.validFrameCount = min(note.length, decodedFrameCount - Int64(first))
    return index
  }

  /// Mean bits a second.
  package var meanBitRate: Int {
    guard count > 0 else { return 0 }
    let (bits, samples) = (Int128(byteCount) * 8, Int128(count) * Int128(samplesPerFrame))
    return Int(bits * Int128(sampleRate) / samples)
  }

  /// Where in the file frame `index` lies.
  package func byteRange(ofFrame index: Int) -> Range<Int> {
    let entry = entries[index]
    return entry.offset..<entry.offset + entry.length
  }

  /// How many bytes before frame `index` its main data begin, headers and side information not
  /// counted (ISO 11172-3 §2.4.2.7, `main_data_begin`).
  package func mainDataBegin(ofFrame index: Int) -> Int { entries[index].mainDataBegin }

  /// The Layer III frame that PCM frame `sample` of the sound is decoded from, for a `sample` in
  /// `0..<validFrameCount`; others are clamped to the first and the last frame.
  package func frame(containing sample: Int64) -> Int {
    let frame = (max(0, sample) + Int64(firstValidSample)) / Int64(samplesPerFrame)
    return Int(min(frame, Int64(max(0, count - 1))))
  }

  /// Which PCM frame of the sound is the first that frame `index` becomes; before the sound it is
  /// negative.
  package func firstSample(ofFrame index: Int) -> Int64 {
    Int64(index) * Int64(samplesPerFrame) - Int64(firstValidSample)
  }

  /// How many frames must be decoded before frame `index` for its samples to be those of a decode
  /// from the start.
  ///
  /// Two, whose granules feed the overlap of the hybrid filter bank and the history of the
  /// synthesis (ISO 11172-3 §2.4.3.4), and as many before them as hold the main data that these
  /// three frames reach back to: at low bit rates a dozen. Never more than `index`.
  package func preRoll(ofFrame index: Int) -> Int {
    let history = max(0, index - 2)
    let first = (history...max(history, index)).map { mainDataSource(ofFrame: $0).frame }.min() ?? 0
    return index - first
  }

  /// Whether the file has all main data that frame `index` reaches back to: a file that was cut out
  /// of a stream may begin without.
  package func isComplete(frame index: Int) -> Bool {
    mainDataSource(ofFrame: index).missing <= 0
  }

  /// The frame that holds the first byte of the main data of frame `index`, and how many bytes before
  /// frame 0 they begin.
  private func mainDataSource(ofFrame index: Int) -> (frame: Int, missing: Int) {
    var (frame, missing) = (index, entries[index].mainDataBegin)
    while missing > 0, frame > 0 {
      frame -= 1
      missing -= mainDataCapacity(ofFrame: frame)
    }
    return (frame, missing)
  }

  /// Bytes of frame `index` behind its header, checksum and side information.
  package func mainDataCapacity(ofFrame index: Int) -> Int {
    let entry = entries[index]
    let sideInformation = FrameHeader.sideInformationLength(
      isMPEG1: header.version == .mpeg1, isMono: entry.isMono)
    return max(0, entry.length - 4 - (entry.hasChecksum ? 2 : 0) - sideInformation)
  }
}
