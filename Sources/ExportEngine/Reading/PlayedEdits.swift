import Diagnosis
import MediaComposition
import MediaTime

/// What a container says is played of a stream, in frames of its decoded sound.
struct PlayedEdits: Sendable, Hashable {
  struct Entry: Sendable, Hashable {
    /// By the container's clock; nil for silence.
    var times: Range<Int64>?
    var count: Int64
  }

  var entries: [Entry]
  /// Frames within which an end is as good as that of the last packet: a tick of the list's clock, and 0
  /// where the packets' clock is coarser, as that of HE-AAC, which counts frames of the core.
  var tick: Int64 = 0
  /// What the container announces, without silence before the sound; nil where it ends with the
  /// stream.
  var announced: Int64?

  /// Beyond any file.
  private static let farthest = StreamFacts.farthestFrame

  init(entries: [Entry]) {
    self.entries = entries
    announced = entries.reduce(0) { $0 + $1.count }
  }

  /// What a CAF's packet table says; nil where it leaves all in place.
  init?(_ table: CAFPacketTable, atRate rate: Int) {
    func frames(_ count: Int64) -> Int64 {
      Self.frames(Int128(count), of: Int64(table.sampleRate), atRate: rate)
    }
    let start = frames(table.priming)
    guard table.priming > 0 || table.remainder > 0 else { return nil }
    let count = frames(table.priming + table.validFrames) - start
    self.init(entries: [Entry(times: start..<start + count, count: count)])
  }

  /// An MP4's edit list (ISO 14496-12, 8.6.6).
  ///
  /// - Throws: `mendInput` where it cannot be read exactly.
  init(_ track: MP4Track, atRate rate: Int, in location: MediaLocation) throws(Failure) {
    func refusal(_ text: String) -> Failure {
      Failure(
        .mendInput, text + "; export its sound with the program that made it", location: location)
    }
    guard track.edits.count <= MP4Track.mostEdits else {
      throw refusal("has more than \(MP4Track.mostEdits) edits")
    }
    guard track.movieTimescale > 0 || track.edits.allSatisfy({ $0.duration == 0 }) else {
      throw refusal("its edit list counts in 0 ticks a second (mvhd)")
    }
    (entries, announced) = ([], 0)
    let isFiner = track.movieTimescale > track.timescale
    tick = track.movieTimescale > 0 && !isFiner ? Int64(rate) / track.movieTimescale : 0
    var ticks: Int128 = 0
    for (index, edit) in track.edits.enumerated() {
      let start = Self.frames(ticks, of: track.movieTimescale, atRate: rate)
      ticks += Int128(edit.duration)
      let count = Self.frames(ticks, of: track.movieTimescale, atRate: rate) - start
      guard let mediaTime = edit.mediaTime else {
        if count > 0 { entries.append(Entry(times: nil, count: count)) }
        continue
      }
      guard edit.rate == MP4Track.Edit.usualRate else {
        throw refusal(
          "has an edit list that plays at a rate of \(edit.rateText), of which only 1 is read")
      }
      guard mediaTime >= 0 else { throw refusal("has an edit list that begins before its sound") }
      let first = Self.frames(Int128(mediaTime), of: track.timescale, atRate: rate)
      // ISO 14496-12, 8.6.6.1: in fragments the last edit may have no duration.
      let isOpen = edit.duration == 0 && index == track.edits.count - 1
      guard count > 0 || isOpen else { continue }
      let end = isOpen ? Self.farthest : min(Self.farthest, first + count)
      entries.append(Entry(times: first..<max(first, end), count: count))
      if isOpen { announced = nil }
    }
    let leading = entries.prefix { $0.times == nil }.reduce(0) { $0 + $1.count }
    announced = announced.map { _ in entries.reduce(0) { $0 + $1.count } - leading }
  }

  /// Ticks in frames, to the nearest.
  static func frames(_ ticks: Int128, of timescale: Int64, atRate rate: Int) -> Int64 {
    guard timescale > 0 else { return 0 }
    let scaled = ticks.multipliedReportingOverflow(by: Int128(rate))
    guard !scaled.overflow, scaled.partialValue >= 0 else { return 0 }
    let frames = (2 * scaled.partialValue + Int128(timescale)) / (2 * Int128(timescale))
    return Int64(clamping: min(frames, Int128(farthest)))
  }
}

extension MP4Track.Edit {
  static var usualRate: Int32 { 1 << 16 }

  /// The rate with three decimals.
  var rateText: String {
    let thousandths = (Int64(rate) * 1000) >> 16
    let fraction = String(thousandths.magnitude % 1000 + 1000).dropFirst()
    return "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000).\(fraction)"
  }
}

extension MP4Track {
  /// Whether libavformat may apply the edit list otherwise than it is meant: it plays several edits
  /// by whole packets, none of a file in fragments, decodes a second before an edit that begins
  /// farther in than an encoder's delay, and takes one that begins before the sound for another.
  var hasOddEdits: Bool {
    guard let edit = edits.first else { return false }
    let start = edit.mediaTime ?? -1
    return start < 0 || start > timescale / 4 || edits.count > 1 || isFragmented
      || edit.rate != Edit.usualRate || edit.duration == 0 || movieTimescale == 0
  }

  /// Whether its edit ends before its last packet begins, and within a tick of the list's clock of that
  /// packet's own end, which is meant then: FFmpeg's muxer counts milliseconds. libavformat leaves the
  /// packet out.
  var hasPacketBehindEdit: Bool {
    guard !isFragmented, edits.count == 1, let edit = edits.first, let start = edit.mediaTime,
      let steady = steadyDuration, steady > 1, let last = lastDuration, let count = packetCount,
      count > 1, movieTimescale > 0
    else { return false }
    // In parts of a tick that both clocks have.
    let scale = Int128(movieTimescale)
    let end = Int128(start) * scale + Int128(edit.duration) * Int128(timescale)
    let lastStart = Int128(steady) * Int128(count - 1) * scale
    let whole = lastStart + Int128(last) * scale
    return end <= lastStart && whole - end <= Int128(timescale)
  }

  /// Frames of the last packet, by its own duration; nil where that is not said.
  func lastFrames(atRate rate: Int) -> Int64? {
    lastDuration.map { PlayedEdits.frames(Int128($0), of: timescale, atRate: rate) }
  }
}
