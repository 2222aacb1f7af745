internal import CFFmpeg

/// Streams of a file that are copied, packet by packet, beside a sound that is made anew: its picture,
/// its subtitles, its other sounds.
///
/// Owns its demuxer, which reads no other streams. One thread at a time.
package final class CopiedStreams: CompanionStreams {
  let streams: [Stream]
  let setting: CompanionSetting
  private let demuxer: Demuxer
  private let isCancelled: () -> Bool
  private let blaming: (LibAVError) -> any Error
  /// How many moving pictures were given that are shown.
  package private(set) var pictureCount = 0
  /// When moving pictures are shown of which a part is missing, by the file's clock.
  package private(set) var damaged: [(tick: Int64, base: TimeBase)] = []
  /// Packets that were read and not given yet, in order.
  private var ready: [Packet] = []
  /// Packets whose pictures are hidden, until one that is shown follows in the stream, by its index.
  private var hidden: [Int: [Packet]] = [:]
  /// By streams, of a file without times of decoding.
  private var clocks: [Int: DecodingClock] = [:]

  /// The streams of `indexes`, at their first packets. `blaming` makes an error of reading, which is met
  /// while an output is written, one of the file.
  ///
  /// - Throws: `LibAVError.streamMissing`, and as reading a packet.
  package init(
    _ demuxer: Demuxer, _ indexes: [Int], _ setting: CompanionSetting,
    blaming: @escaping (LibAVError) -> any Error, unless isCancelled: @escaping () -> Bool
  ) throws(LibAVError) {
    (self.demuxer, self.setting) = (demuxer, setting)
    (self.blaming, self.isCancelled) = (blaming, isCancelled)
    let all = demuxer.streams
    guard indexes.allSatisfy(all.indices.contains) else { throw LibAVError.streamMissing }
    streams = indexes.map { all[$0] }
    for stream in all {
      let isCopied = indexes.contains(stream.index)
      stream.pointer.pointee.discard = isCopied ? AVDISCARD_NONE : AVDISCARD_ALL
    }
    try fill()
  }

  var timeBases: [AVRational] { streams.map { $0.pointer.pointee.time_base } }

  /// Their packets have the times of the source, and what is before 0 is hidden by the muxer.
  var edits: (list: PictureEdits, firstDecoded: Int64)? { nil }

  var languages: [String?] {
    streams.map { $0.metadata.first { $0.key == "language" }?.value }
  }

  func soundStart(_ place: Int) -> Int64? { nil }

  func describe(
    _ place: Int, to own: UnsafeMutablePointer<AVStream>,
    in container: UnsafePointer<AVOutputFormat>
  ) throws(LibAVError) {
    let stream = streams[place]
    try check(
      avjob_copy_stream(own, stream.pointer, container, setting.keepsDolbyVision ? 1 : 0),
      "avjob_copy_stream")
    // libavformat writes it as `D_WEBVTT`, which has no header.
    if stream.isWebVTTOfBlocks {
      own.pointee.codecpar.pointee.codec_id = AV_CODEC_ID_WEBVTT
      try own.pointee.codecpar.pointee.replaceHeader(with: [])
    }
    if stream.isAudio { own.pointee.disposition &= ~AV_DISPOSITION_DEFAULT }
    setting.complete(&own.pointee.codecpar.pointee, ofPicture: stream.index)
    if stream.isMovingPicture {
      own.pointee.setPictureDuration(stream.pictureDuration, in: container)
    }
  }

  func take(
    before moment: (ticks: Int64, base: AVRational)?,
    _ body: (Packet, Int) throws(LibAVError) -> Void
  ) throws(LibAVError) {
    while let packet = ready.first,
      let place = streams.firstIndex(where: { $0.index == packet.streamIndex })
    {
      if let moment,
        av_compare_ts(
          packet.pointer.pointee.dts, streams[place].pointer.pointee.time_base, moment.ticks,
          moment.base) >= 0
      {
        return
      }
      if streams[place].isMovingPicture {
        if !packet.isDiscarded { pictureCount += 1 }
        if packet.isCutShort, damaged.count < Self.mostDamaged {
          damaged.append((packet.timestamp ?? 0, streams[place].timeBase))
        }
      }
      try body(packet, place)
      ready.removeFirst()
      try fill()
    }
  }

  /// How many damaged pictures are counted: larger counts tell a reader no more.
  package static let mostDamaged = 10_000

  /// Reads on until a packet is ready, or the end. Hidden packets are needed to decode those behind them;
  /// at a stream's end they are left out, since what hides them there is the length of its edit.
  private func fill() throws(LibAVError) {
    while ready.isEmpty, let packet = try read() {
      let stream = packet.streamIndex
      if packet.isDiscarded {
        hidden[stream, default: []].append(packet)
      } else {
        ready = (hidden.removeValue(forKey: stream) ?? []) + [packet]
      }
    }
  }

  /// The next packet of one of the streams; nil at the end.
  ///
  /// - Throws: Also for packets without a time, and for what changes its coding midway: a container has
  ///   one description.
  private func read() throws(LibAVError) -> Packet? {
    do throws(LibAVError) {
      return try readPacket()
    } catch {
      throw error.blamed(on: blaming(error))
    }
  }

  private func readPacket() throws(LibAVError) -> Packet? {
    var next: Packet?
    // libavformat gives a cover whatever is left out.
    repeat {
      next = try demuxer.read(unless: isCancelled)
    } while next.map { packet in !streams.contains { $0.index == packet.streamIndex } } == true
    guard let packet = next else { return nil }
    if let depths = setting.depths, let shown = packet.timestamp {
      let index = packet.streamIndex
      packet.pointer.pointee.dts =
        clocks[index, default: DecodingClock(depth: depths[index] ?? 0, step: 0)]
        .decoded(shown, lasting: packet.duration) ?? avjob_nopts()
    }
    guard packet.timestamp != nil, packet.decodingTime != nil else {
      throw LibAVError(code: avjob_averror_invaliddata(), operation: "reading a packet's time")
    }
    guard packet.newHeader.isEmpty else {
      throw LibAVError(code: avjob_averror_input_changed(), operation: "reading a picture")
    }
    return packet
  }
}
