import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import VideoBitstream

/// When pictures are shown.
extension Prober {
  /// Adds to moving pictures how long each picture is shown, from when on, and the timecode of the
  /// first, as far as the file says. Its sound can be read where it does not.
  ///
  /// - Throws: `tryAgain` where a server does not give what it gave before.
  func addPictureTimes(to tracks: inout [AssetTrack]) throws(Failure) {
    for index in tracks.indices where tracks[index].mediaType == .video {
      do throws(Failure) {
        try addTimes(to: &tracks[index])
      } catch {
        guard error.remedy != .tryAgain else { throw error }
      }
    }
  }

  private func addTimes(to track: inout AssetTrack) throws(Failure) {
    // The sound may be read without the file's edit lists, and from a place within it.
    let demuxer = try reading(location) { () throws(LibAVError) in try location.demuxer() }
    guard demuxer.streams.indices.contains(track.index) else { return }
    let stream = demuxer.streams[track.index]
    // x265 writes none of them; those of H.264 stay with what is encoded.
    if stream.codecName == "hevc" { track.messages = try messages(ofStream: track.index) }
    let codes = demuxer.streams.filter { $0.mediaType == "data" }.compactMap { $0.tag("timecode") }
    let ofFile = demuxer.metadata.first { $0.key.lowercased() == "timecode" && !$0.value.isEmpty }
    track.timecode = stream.tag("timecode") ?? codes.first ?? ofFile?.value
    guard let duration = try pictureDuration(of: stream, demuxer), duration > .zero else { return }
    let times = try reading(location) { () throws(LibAVError) in
      let isProven = !demuxer.formatName.hasPrefix("matroska,")
      return try demuxer.firstPictures(of: stream, isProven ? 1 : Self.watchedPictures)
    }.map { stream.timeBase.time(of: $0) }
    guard let first = times.first, Self.isSteady(times, duration, stream.timeBase.time(of: 1))
    else {
      return
    }
    (track.firstPicture, track.frameDuration) = (first, duration)
    if let ticks = stream.duration {
      track.lastPictureEnd = first + stream.timeBase.time(of: ticks)
    } else if let told = stream.tag("duration").flatMap(Time.init(ofTag:)), told > first {
      track.lastPictureEnd = told
    }
  }

  /// As `AssetTrack.messages`, of HEVC.
  private func messages(ofStream index: Int) throws(Failure) -> [String]? {
    let names = try reading(location) { () throws(LibAVError) in
      let demuxer = try location.demuxer()
      demuxer.select(stream: index)
      for _ in 0..<Self.mostPackets {
        guard let packet = try demuxer.readWhatIsThere() else { break }
        guard packet.streamIndex == index, demuxer.streams.indices.contains(index) else { continue }
        let coding = try? PictureCoding(demuxer.streams[index], first: [packet])
        let units = try? coding?.framing?.units(of: packet.bytes[...])
        return HEVC.registeredMessages(in: units ?? []).map(\.rawValue)
      }
      return []
    }
    return names.isEmpty ? nil : names
  }

  /// Packets of others that may come before the first picture.
  private static let mostPackets = 4096

  /// By the index of an MP4, which has all pictures, or the header of a Matroska file (RFC 9559,
  /// `DefaultDuration`). When the sound of others begins by the clock of their pictures is not known.
  private func pictureDuration(
    of stream: LibAV.Stream, _ demuxer: Demuxer
  ) throws(Failure) -> Time? {
    if demuxer.formatName.hasPrefix("matroska,") {
      return stream.pictureDuration?.time(of: 1)
    }
    guard demuxer.formatName.hasPrefix("mov,"),
      let track = try MP4Track.read(in: bytes, id: stream.id), track.isSteady,
      let ticks = track.steadyDuration, let timescale = Int32(exactly: track.timescale),
      timescale > 0
    else { return nil }
    return Time(value: ticks, timescale: timescale)
  }

  /// Pictures at the start of a Matroska file that must keep to its header: many programs write one
  /// there for pictures at any times.
  private static let watchedPictures = 64

  /// Pictures that may be shown later than one behind them in the file (H.264, A.3: 16 are held).
  private static let reordered = 16

  /// Whether pictures are shown at their times but for the rounding to a tick.
  private static func isSteady(_ times: [Time], _ duration: Time, _ tick: Time) -> Bool {
    guard let first = times.first, times.count > 1 else { return true }
    return times.dropLast(reordered).enumerated().allSatisfy { index, time in
      let expected = first + duration * index
      return time - expected <= tick && expected - time <= tick
    }
  }
}
