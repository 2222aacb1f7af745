import Diagnosis
import LibAV
import MediaComposition

extension Prober {
  /// Refuses a file whose name says that it has no header, which it has not: many readers of libavformat
  /// take any bytes for theirs.
  static func requireHeader(_ location: MediaLocation) throws(Failure) {
    guard RawSound.unnamed.contains(location.fileExtension?.lowercased() ?? "") else { return }
    let head = try MediumBytes(location).bytes(at: 0, count: 12)
    guard head.count < 12 || ContainerFacts.kind(of: head[...]) == nil else { return }
    throw Failure(
      .mendInput,
      "has no header; say what it holds, as 'raw: { samples: 16 bit, sample_rate: 8 kHz }'",
      location: location)
  }

  /// The facts of a file without a header: those that its name or its job says, and its size.
  ///
  /// - Throws: `mendInput` where it is not made of whole samples, or begins as a file with a header that
  ///   was not said to be there; `mendJob` for a header that it cannot have.
  func probe(
    headerless sound: RawSound, _ demuxer: Demuxer, stream index: Int?, isNamed: Bool
  ) throws(Failure) -> ProbedStream {
    let fileSize = try bytes.size()
    try requireRoom(for: sound, in: fileSize)
    let size = fileSize - sound.headerSize
    let head = try bytes.bytes(at: 0, count: 12)
    if sound.headerSize == 0, head.count == 12, let other = ContainerFacts.kind(of: head[...]) {
      throw Failure(
        .mendInput,
        "begins as a \(other), and is to be read as sound without a header; "
          + (isNamed ? "give it its own extension" : "leave 'raw' out"), location: location)
    }
    let rest = size % Int64(sound.frameSize)
    guard rest == 0 else {
      throw Failure(
        .mendInput,
        "has \(size) bytes\(sound.headerSize > 0 ? " of sound" : ""), which are no whole samples of \(sound.samples.rawValue) in "
          + "\(sound.channelCount == 1 ? "one channel" : "\(sound.channelCount) channels"); say what "
          + "it is, as 'raw: { samples: 16 bit, sample_rate: 8 kHz }', or copy it again",
        location: location)
    }
    var stream = try probe(demuxer, stream: index)
    stream.asset.container = RawSound.container
    if !isNamed {
      stream.asset.raw = sound
      stream.facts.opening.sound = sound
    }
    return stream
  }

  private func requireRoom(for sound: RawSound, in size: Int64) throws(Failure) {
    guard sound.samples != .ima4 else {
      throw Failure(
        .mendJob, "is said to be ima4, which is read in CAF and AIFF-C alone; say other samples",
        location: location)
    }
    guard sound.headerSize != 0 else { return }
    guard sound.samples != .g722, sound.samples != .gsm else {
      throw Failure(
        .mendJob,
        "is \(sound.samples.rawValue), which is read from the first byte on; cut its header off",
        location: location)
    }
    guard 0...size ~= sound.headerSize else {
      throw Failure(
        .mendJob,
        "has \(size) bytes, and a header of \(sound.headerSize) is said to be before its sound; give "
          + "the header's bytes", location: location)
    }
  }
}
