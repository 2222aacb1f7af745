import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime

extension Prober {
  /// A bare MPEG audio file: ID3v1 tags by libavformat, if it recognises the file, all else by our
  /// own index.
  func probeMPEGAudio(_ demuxer: Demuxer?, stream index: Int?) throws(Failure) -> ProbedStream {
    // The demuxer's only stream of sound; its parameters stay open, and are not needed.
    let stream = try demuxer.map { demuxer throws(Failure) in
      try choose(index ?? demuxer.streams.first(where: \.isAudio)?.index, in: demuxer)
    }
    let note = demuxer?.metadata.first { $0.key == "iTunSMPB" }
      .flatMap { ITunesGapless(parsing: $0.value) }
    let found: GrowingFrameIndex
    switch try MPEGFile(bytes).frames(noting: note) {
    case .success(let frames): found = frames
    case .failure(let refusal):
      // Layers I and II are libavformat's: they have no bit reservoir, and no gapless tags.
      if case .notLayer3 = refusal, let demuxer { return try probe(demuxer, stream: index) }
      throw Failure(.mendInput, "\(refusal)", location: location)
    }
    let frames = found.index
    guard frames.validFrameCount > 0 else {
      throw Failure(.mendInput, "holds no sound (its tag leaves nothing over)", location: location)
    }
    let announced = frames.tag.flatMap { tag in
      tag.frameCount.map { count in
        let sound = count * frames.samplesPerFrame - (tag.delay ?? 0) - (tag.padding ?? 0)
        return Time(frames: Int64(max(0, sound)), rate: frames.sampleRate)
      }
    }
    try requireOneFormat(frames)
    try requireMost(of: frames, announced)
    let facts = StreamFacts(
      location: location, streamIndex: stream?.index ?? 0, sampleRate: frames.sampleRate,
      channelCount: frames.channelCount, reader: .mpegAudio(found.isWhole ? frames : nil, note),
      origin: 0, firstRaw: 0)
    var asset = Asset(
      location: location, streamIndex: stream?.index ?? 0, container: "mp3", codec: "mp3",
      sampleRate: frames.sampleRate,
      channelLayout: frames.channelCount == 1 ? .mono : .stereo,
      frameCount: frames.validFrameCount, announcedDuration: announced,
      bitRate: frames.meanBitRate, identity: identity)
    if frames.isGapless {
      asset.encoderDelay = frames.firstValidSample
      asset.encoderPadding = Int(
        max(0, frames.decodedFrameCount - Int64(frames.firstValidSample) - frames.validFrameCount))
    }
    asset.mp3Settings = frames.settings
    let tags = try mpegTags()
    (asset.metadata, asset.unread) = (tags.metadata, tags.unread)
    asset.chapters = tags.chapters ?? []
    return ProbedStream(
      asset: asset, facts: facts,
      warnings: frames.anomalies.map { Warning(text(of: $0, in: frames), location: location) }
        + [tags.guess(location, chapters: false)].compactMap(\.self),
      isLengthAnnounced: !found.isWhole)
  }

  /// An anomaly, and when it is heard.
  private func text(of anomaly: FrameIndex.Anomaly, in frames: FrameIndex) -> String {
    guard case .skippedBytes(_, runs: _, firstOffset: _, let places) = anomaly,
      let frame = places.first
    else { return "\(anomaly)" }
    return "\(anomaly), at \(frames.time(ofFrame: frame).clockText(decimals: 3))"
  }

  /// A warning of the first frames of Layers I and II that libavformat skips: its sound begins where two
  /// headers agree in the bits of joint stereo, too, which encoders set anew for each frame.
  func skippedFrames(_ opened: OpenedStream) throws(Failure) -> Warning? {
    guard opened.demuxer.formatName == "mp3", let start = opened.first.dataStart else { return nil }
    var position = Int64(try storedTag()?.byteCount ?? 0)
    var count: Int64 = 0
    while position < start, count < 1 << 12 {
      let head = try bytes.bytes(at: position, count: 4)
      guard let header = FrameHeader(startOf: head), header.sampleRate == opened.first.sampleRate,
        header.layer != .layer3, let length = header.frameLength, length > 0
      else { return nil }
      position += Int64(length)
      count += 1
    }
    guard position == start, count > 0 else { return nil }
    let frames = count * Int64(opened.first.sampleCount)
    let size = Time(frames: frames, rate: opened.first.sampleRate).inSeconds
    return Warning(
      "\(count == 1 ? "its first frame is" : "its first \(count) frames are") left out, \(size) of "
        + "its sound: it is read from where two headers in a row agree", location: location)
  }

  /// Refuses a file whose frames change their rate, layer or number of channels midway.
  private func requireOneFormat(_ frames: FrameIndex) throws(Failure) {
    for anomaly in frames.anomalies {
      let (frame, rate, channels): (Int, Int, Int)
      switch anomaly {
      case .formatChange(let number, _, let header):
        (frame, rate, channels) = (number, header.sampleRate, header.channelCount)
      case .channelCountChange(let number, let count):
        (frame, rate, channels) = (number, frames.sampleRate, count)
      default: continue
      }
      throw LibAVError.formatChanged(
        toRate: rate, channels: channels, at: frames.time(ofFrame: frame).inSeconds
      )
      .inputFailure(location)
    }
  }

  /// Refuses a file of which less than half is heard: by its tag, or by its bytes, as where damage
  /// leaves no two frames in a row.
  private func requireMost(of frames: FrameIndex, _ announced: Time?) throws(Failure) {
    let found = Time(frames: frames.validFrameCount, rate: frames.sampleRate)
    if let announced, frames.tag?.isCredible == true {
      try requireMost(of: announced, found: found)
    }
    // A tag proves its frames to be all, whatever lies around them.
    let isWhole = frames.tag?.isCredible == true && frames.tag?.frameCount == frames.count
    guard !isWhole, frames.byteCount < frames.streamLength / 2 else { return }
    throw Failure(
      .mendInput,
      "is so damaged that less than half of it can be decoded: \(found.inSeconds), in "
        + "\(frames.byteCount) of \(frames.streamLength) bytes; copy or download it again, or "
        + "cut off what is no MP3",
      location: location)
  }

  /// Probes MPEG audio in a file that libavformat does not recognise; nil where the file is no MPEG
  /// audio.
  ///
  /// - Throws: Where its bytes cannot be read.
  func shortMPEGAudio(stream index: Int?) throws(Failure) -> ProbedStream? {
    do throws(Failure) {
      return try probeMPEGAudio(nil, stream: index)
    } catch {
      if error.remedy == .mendInput { return nil }
      throw error
    }
  }
}

extension FrameIndex {
  /// When the sound of a frame begins; 0 for those before the sound.
  func time(ofFrame frame: Int) -> Time {
    Time(frames: max(0, firstSample(ofFrame: frame)), rate: sampleRate)
  }
}
