import Diagnosis
import LibAV
import MediaComposition
import MediaTime

/// Lengths of files with other streams beside the sound: their headers have that of the longest.
extension Prober {
  /// How long the sound is by its container.
  ///
  /// - Parameters:
  ///   - whole: The same where the header's length is the sound's.
  ///   - opened: The stream.
  ///   - start: When the sound begins by the file's clock.
  ///   - found: How long it is.
  /// - Returns: `whole` unless it is the whole file's; then what a Matroska file says of the track, and
  ///   otherwise nil where another stream lasts as long, or the sound does by the file's clock.
  /// - Throws: As reading the other streams does.
  /// - Complexity: O(size) where the lengths differ, for each other stream; else O(1).
  func announcedDuration(
    ofSound whole: Time?, _ opened: OpenedStream, from start: Time, found: Time
  ) throws(Failure) -> Time? {
    let (demuxer, stream) = (opened.demuxer, opened.stream)
    let others = demuxer.streams.filter { $0.index != stream.index && $0.isTimed }
    guard let whole, !others.isEmpty, opened.edits == nil, opened.track == nil,
      stream.duration == nil, let microseconds = demuxer.announcedMicroseconds
    else { return whole }
    if let tagged = taggedDuration(of: opened, found: found) { return tagged }
    guard warning(announced: whole, found: found) != nil else { return whole }
    let announced = Time(value: microseconds, timescale: 1_000_000)
    var (first, end) = (start, start + found)
    for index in others.map(\.index) {
      guard let times = try shownTimes(ofStream: index) else { continue }
      (first, end) = (min(first, times.start), max(end, times.end))
      // Matroska and FLV count from 0, others from their first packet.
      let countsFromZero = ["matroska,webm", "flv"].contains(demuxer.formatName)
      let there = countsFromZero ? end : end - first
      if there >= announced || warning(announced: announced, found: there) == nil { return nil }
    }
    return whole
  }

  /// The length of a track by Matroska's tag `DURATION`, from the start of the file's clock to its end as
  /// FFmpeg writes it, from its own start among mkvmerge's statistics. Where a program has copied these, the
  /// one that fits is meant.
  private func taggedDuration(of opened: OpenedStream, found: Time) -> Time? {
    guard opened.demuxer.formatName == "matroska,webm",
      let text = opened.stream.tag("duration"), let told = Time(ofTag: text), told > .zero
    else { return nil }
    let own = withoutLead(told, opened)
    guard opened.stream.tag("_statistics_tags") != nil else { return own }
    func distance(_ time: Time) -> Time { time > found ? time - found : found - time }
    return distance(told) < distance(own) ? told : own
  }

  private func shownTimes(ofStream index: Int) throws(Failure) -> TimeRange? {
    try reading(location) { () throws(LibAVError) in
      let demuxer = try location.demuxer()
      // FLV has a stream when its first packet has come.
      if !demuxer.streams.indices.contains(index) { try demuxer.completeParameters() }
      guard demuxer.streams.indices.contains(index) else { return nil }
      let stream = demuxer.streams[index]
      return try demuxer.shownTimes(of: stream).map { shown in
        TimeRange(
          start: stream.timeBase.time(of: shown.lowerBound),
          end: stream.timeBase.time(of: shown.upperBound))
      }
    }
  }
}

extension LibAV.Stream {
  /// Whether it has packets at times: pictures of tags and attachments have none.
  fileprivate var isTimed: Bool {
    !isAttachedPicture && ["video", "audio", "subtitle"].contains(mediaType)
  }
}

extension Time {
  /// Reads `00:01:02.345000000`, to the microsecond; nil for other texts.
  init?(ofTag text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
      0..<100_000 ~= hours, 0..<60 ~= minutes
    else { return nil }
    let seconds = parts[2].split(separator: ".", omittingEmptySubsequences: false)
    let digits = seconds.count > 1 ? seconds[1].prefix(6) : ""
    guard 1...2 ~= seconds.count, let whole = Int64(seconds[0]), 0..<60 ~= whole,
      let fraction = Int64(digits + String(repeating: "0", count: 6 - digits.count)),
      fraction >= 0
    else { return nil }
    self.init(
      value: ((hours * 60 + minutes) * 60 + whole) * 1_000_000 + fraction, timescale: 1_000_000)
  }
}
