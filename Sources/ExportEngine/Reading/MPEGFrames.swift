import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime

/// The Layer III frames of a file, as bytes. One thread at a time.
final class MPEGFrames {
  private let location: MediaLocation
  private let file: MPEGFile
  private var frames: GrowingFrameIndex
  private let watch: MediaLibrary.Watch?

  private init(
    _ location: MediaLocation, _ file: MPEGFile, _ frames: GrowingFrameIndex,
    _ watch: MediaLibrary.Watch?
  ) {
    (self.location, self.file, self.frames, self.watch) = (location, file, frames, watch)
  }

  /// Opens a file by its index, or scans it again without one, with iTunes' note.
  static func open(
    _ facts: StreamFacts, _ known: FrameIndex?, _ note: ITunesGapless?,
    watching watch: MediaLibrary.Watch? = nil
  ) throws(Failure) -> MPEGFrames {
    let file = MPEGFile(try facts.bytes())
    let frames: GrowingFrameIndex
    if let known { frames = GrowingFrameIndex(known) } else { frames = try file.scan(noting: note) }
    return MPEGFrames(facts.location, file, frames, watch)
  }

  /// Where they lie; those of a server's file as far as they were found.
  var index: FrameIndex { frames.index }

  /// Makes sure that the index has a frame.
  func find(_ frame: Int) throws(Failure) {
    do throws(GrowingFrameIndex.Contradiction) {
      try frames.find(frame)
    } catch {
      // Zeros that stand for bytes which could not be read are no frames.
      try file.requireRead()
      DoubtfulHeads.note(location)
      throw Failure(
        .tryAgain,
        "announces \(error.announced) frames and holds \(error.found); run the job again: all of it "
          + "is here now, and will be counted", location: location)
    }
    try file.requireRead()
  }

  /// A frame to be decoded.
  func packet(_ frame: Int) throws(Failure) -> Packet {
    try find(frame)
    return try file.packet(index.byteRange(ofFrame: frame), timestamp: Int64(frame))
  }

  /// A frame's bytes, whole.
  ///
  /// - Throws: `tryAgain` where the file was truncated meanwhile.
  func bytes(_ frame: Int) throws(Failure) -> ArraySlice<UInt8> {
    watch?(location)
    defer { watch?(nil) }
    try find(frame)
    let range = index.byteRange(ofFrame: frame)
    let bytes = try file.bytes(range)
    guard bytes.count == range.count else {
      throw Failure(
        .tryAgain, "ends within a frame; it was changed while it was read", location: location)
    }
    return bytes
  }

  /// The failure of a frame that is not like the first one.
  func formatChange(at frame: Int) -> Failure {
    let place = Time(frames: index.firstSample(ofFrame: frame), rate: index.sampleRate)
    return Failure(
      .mendInput,
      "changes its format at \(place.clockText(decimals: 3)), where its frames cannot be copied; "
        + "'mp3: V2' encodes the sound", location: location)
  }
}
