import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime

/// What of an item is here, where its media come from servers.
extension PlayerItem {
  /// The parts of the item whose media are here, in order (`AVPlayerItem.loadedTimeRanges`): all of
  /// it for files. Of a server's medium, those in the cache once a player has opened it, until another item is heard.
  ///
  /// Times follow from bytes as if all seconds of a medium had as many: exact enough for a display.
  ///
  /// Safe from any thread; nothing is fetched.
  ///
  /// - Complexity: O(n m), n in the remote segments and m in the ranges of their bytes.
  public var loadedTimeRanges: [TimeRange] {
    var parts = TimeParts(whole: duration)
    var media: [MediaURL: (size: Int64, ranges: [Range<Int64>])] = [:]
    for span in remoteSpans {
      let known =
        media[span.url]
        ?? medium(at: span.url).map { ($0.size, $0.loadedRanges) } ?? (0, [])
      media[span.url] = known
      let there = span.times(of: known.1, size: known.0).sorted { $0.start < $1.start }
      var end = span.target.start
      for range in there {
        if range.start > end { parts.remove(TimeRange(start: end, end: range.start)) }
        end = max(end, range.end)
      }
      if end < span.target.end { parts.remove(TimeRange(start: end, end: span.target.end)) }
    }
    return parts.ranges
  }

  /// How far ahead of the sound media are fetched (`AVPlayerItem.preferredForwardBufferDuration`):
  /// 0, the default, lets the player choose. Times below 0 and those that are no number are 0.
  ///
  /// A low value lets the player continue sooner after a stall, and stall more often. Safe from any
  /// thread; a change acts within a second.
  public var preferredForwardBufferDuration: Time {
    get { forwardBuffer.withLock { $0 } }
    set { forwardBuffer.withLock { $0 = newValue.isNumeric ? max(.zero, newValue) : .zero } }
  }

  /// How far ahead is fetched.
  var forwardBufferDuration: Time {
    let preferred = preferredForwardBufferDuration
    return preferred > .zero ? preferred : Self.usualForwardBuffer
  }

  private static let usualForwardBuffer = Time(value: 30, timescale: 1)

  /// How much must be ahead after a number of stalls, before playback continues: more after each,
  /// since the server was slower than expected.
  func resumeDuration(afterStalls count: Int) -> Time {
    let usual = Time(value: 2 << Int64(min(max(0, count - 1), 3)), timescale: 1)
    let preferred = preferredForwardBufferDuration
    return preferred > .zero ? min(preferred, usual) : usual
  }

  /// Whether all of a range is here.
  func isLoaded(from start: Time, lasting length: Time) -> Bool {
    let end = min(duration, start + length)
    return start >= end
      || loadedTimeRanges.contains { $0.start <= start && end <= $0.end }
  }

  /// The seconds of a range that are here.
  func loadedSeconds(from start: Time, lasting length: Time) -> Double {
    let range = TimeRange(start: start, end: max(start, min(duration, start + length)))
    return loadedTimeRanges.reduce(0) { $0 + $1.intersection(range).duration.seconds }
  }

  /// Fetches what is missing of a range, without waiting, and gives up what an earlier call fetches
  /// for another place.
  ///
  /// - Parameters:
  ///   - start: The place that is rendered now.
  ///   - length: How far ahead.
  /// - Returns: The state of the range. Media that are not open yet count as here: reading opens
  ///   them.
  @discardableResult
  func prefetch(from start: Time, lasting length: Time) -> RemoteMedium.Readiness {
    guard !remoteSpans.isEmpty else { return .isThere }
    let part = TimeRange(start: start, end: max(start, min(duration, start + length)))
    var readiness = RemoteMedium.Readiness.isThere
    for url in Set(remoteSpans.map(\.url)) {
      guard let medium = medium(at: url) else { continue }
      let spans = remoteSpans.filter {
        $0.url == url && $0.target.start < part.end && part.start < $0.target.end
      }
      let isAlone = spans.count { $0.target.start <= start } == 1
      let ranges = spans.map { span -> Range<Int64> in
        let bytes = span.bytes(of: part, size: medium.size)
        guard isAlone, span.target.start <= start, !span.isReversed else { return bytes }
        // What was read last is exact, also where seconds have different numbers of bytes.
        let isToEnd = bytes.upperBound == medium.size
        let first = min(medium.readOffset, medium.size)
        return first..<(isToEnd ? medium.size : first + Int64(bytes.count))
      }
      switch medium.prefetch(ranges) {
      case .isThere: break
      case .isUnderWay: if readiness == .isThere { readiness = .isUnderWay }
      case .hasFailed: readiness = .hasFailed
      }
    }
    return readiness
  }

  /// Gives up what `prefetch` fetches.
  func endPrefetch() {
    for url in Set(remoteSpans.map(\.url)) { medium(at: url)?.prefetch([]) }
  }

  /// A medium that this process has open; it stays open until `releaseMedia`.
  private func medium(at url: MediaURL) -> RemoteMedium? {
    if let known = media.withLock({ $0[url] }) { return known }
    // Without the lock: it reads the cache's map.
    guard let medium = RemoteMedium(at: url) else { return nil }
    media.withLock { $0[url] = medium }
    return medium
  }

  /// Lets go of the media, since another item is heard: each takes some descriptors.
  func releaseMedia() {
    // Released without the lock.
    let released = media.withLock { media in
      defer { media = [:] }
      return media
    }
    _ = released
  }
}
