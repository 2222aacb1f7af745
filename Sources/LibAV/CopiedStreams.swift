internal import CFFmpeg

/// Streams of a file that are copied, packet by packet, beside a sound that is made anew: its picture,
/// its subtitles, its other sounds.
///
/// Owns its demuxer, which reads no other streams. One thread at a time.
package final class CopiedStreams {
  /// What is said beside the sound that they stand with.
  package struct Setting {
    /// Frames from the start of the file's clock to the sound's first one.
    package var delay: Int64
    /// The language of the sound; nil where the source has none.
    package var language: String?
    /// The pixels across and down of pictures, by their streams: libavformat leaves those of MPEG-4 to
    /// its decoder, which is not asked.
    package var sizes: [Int: (width: Int, height: Int)]

    package init(
      delay: Int64, language: String?, sizes: [Int: (width: Int, height: Int)] = [:]
    ) {
      (self.delay, self.language, self.sizes) = (delay, language, sizes)
    }
  }

  let streams: [Stream]
  let setting: Setting
  private let demuxer: Demuxer
  private let isCancelled: () -> Bool
  /// Packets that were read and not given yet, in order.
  private var ready: [Packet] = []
  /// Packets whose pictures are hidden, until one that is shown follows in the stream, by its index.
  private var hidden: [Int: [Packet]] = [:]

  /// The streams of `indexes`, at their first packets.
  ///
  /// - Throws: `LibAVError.streamMissing`, and as reading a packet.
  package init(
    _ demuxer: Demuxer, _ indexes: [Int], _ setting: Setting,
    unless isCancelled: @escaping () -> Bool
  ) throws(LibAVError) {
    (self.demuxer, self.setting, self.isCancelled) = (demuxer, setting, isCancelled)
    let all = demuxer.streams
    guard indexes.allSatisfy(all.indices.contains) else { throw LibAVError.streamMissing }
    streams = indexes.map { all[$0] }
    for stream in all {
      let isCopied = indexes.contains(stream.index)
      stream.pointer.pointee.discard = isCopied ? AVDISCARD_NONE : AVDISCARD_ALL
    }
    try fill()
  }

  /// Gives the packets that are decoded before a moment, each with its place among `streams`; all that
  /// are left without one.
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
      try body(packet, place)
      ready.removeFirst()
      try fill()
    }
  }

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
    guard let packet = try demuxer.read(unless: isCancelled) else { return nil }
    guard packet.pointer.pointee.dts != avjob_nopts(), packet.pointer.pointee.pts != avjob_nopts()
    else {
      throw LibAVError(code: avjob_averror_invaliddata(), operation: "reading a packet's time")
    }
    guard packet.newHeader.isEmpty else {
      throw LibAVError(code: avjob_averror_input_changed(), operation: "reading a picture")
    }
    return packet
  }
}
