import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime

/// The parts of an item that are here, if its media come from servers.
extension PlayerItem {
  /// The parts of the item whose media are here, in order (`AVPlayerItem.loadedTimeRanges`): all of
  /// it for files. Of a server's medium, those in the cache.
  ///
  /// Times follow from bytes as if all seconds of a medium had as many: exact enough for a display.
  /// Of an MP3, only the part before the first gap counts, since an exact place needs all bytes
  /// before it.
  ///
  /// Safe from any thread; nothing is fetched, and no server asked.
  ///
  /// - Complexity: O(media + m), m in the ranges of their bytes; O(n log n + n m), n in the
  ///   remote segments, after bytes have come
  public var loadedTimeRanges: [TimeRange] {
    let (bytes, lookUps) = loadedBytes()
    return loadedParts.withLock { known in
      known.parts(of: bytes, after: lookUps) {
        let missing = remoteSpans.flatMap { $0.missing(of: bytes[$0.url] ?? []) }
        return TimeRange(start: .zero, duration: duration).parts(without: missing)
      }
    }
  }

  /// The bytes of each medium that are here, and what was looked up for that. A medium that is not open is
  /// looked up in the cache's folder once after each time that this process had it open: more may have come
  /// before it was closed. Then what was seen of it last counts, also where nothing of it is kept.
  private func loadedBytes() -> (bytes: [MediaURL: [Range<Int64>]], lookUps: LoadedParts.LookUps) {
    guard !remoteMedia.isEmpty else { return ([:], [:]) }
    // Without the lock: the first look at a medium reads the cache's map.
    var (found, lookUps) = loadedParts.withLock { ($0.bytes, $0.lookUps) }
    var count = 0
    for url in remoteMedia {
      // Before the look, so that an opening between the two is followed by another one.
      let opening = RemoteMedium.lastOpening(at: url)
      if let medium = RemoteMedium(at: url) {
        found[url] = medium.loadedRanges
        lookUps[url] = nil
      } else if lookUps[url] != .some(opening), count < Self.mostLookUps {
        count += 1
        let kept = RemoteMedium.loadedRanges(inCacheOf: url)
        if found[url] == nil || !kept.isEmpty { found[url] = kept }
        lookUps[url] = .some(opening)
      }
    }
    return (found, lookUps)
  }

  /// So many media are looked up in the cache's folder at a call: a display waits for that.
  private static let mostLookUps = 100

  /// How far ahead of the sound media are fetched (`AVPlayerItem.preferredForwardBufferDuration`):
  /// 0, the default, lets the player choose. Times below 0 and those that are no number are 0.
  ///
  /// A low value lets the player continue sooner after a stall, and stall more often. Safe from any
  /// thread; a change acts within a second while the player plays, and not on a wait that has begun.
  public var preferredForwardBufferDuration: Time {
    get { forwardBuffer.withLock { $0 } }
    set { forwardBuffer.withLock { $0 = newValue.isNumeric ? max(.zero, newValue) : .zero } }
  }

  /// How far ahead media are fetched: between half of it and all of it.
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
    let part = part(from: start, lasting: length)
    return part.isEmpty
      || loadedTimeRanges.contains { $0.start <= part.start && part.end <= $0.end }
  }

  /// The seconds of a range that are here.
  func loadedSeconds(from start: Time, lasting length: Time) -> Double {
    let part = part(from: start, lasting: length)
    return loadedTimeRanges.reduce(0) { $0 + $1.intersection(part).duration.seconds }
  }

  private func part(from start: Time, lasting length: Time) -> TimeRange {
    TimeRange(start: start, end: max(start, min(duration, start + length)))
  }

  // MARK: Prefetching

  /// Fetches what is missing of a range, without waiting, and gives up what an earlier call fetches
  /// for another place of the same media.
  ///
  /// - Parameters:
  ///   - start: The place that is rendered now.
  ///   - length: How far ahead.
  ///   - isAwaited: Whether the caller waits for all of it. Otherwise less than half of it may be
  ///     left to a later call.
  /// - Returns: The state of the range. Media that are not open yet count as here: reading opens
  ///   them.
  /// - Complexity: O(remote segments)
  @discardableResult
  func prefetch(
    from start: Time, lasting length: Time, isAwaited: Bool = false
  ) -> RemoteMedium.Readiness {
    guard !remoteSpans.isEmpty else { return .isThere }
    let part = part(from: start, lasting: length)
    let near = remoteSpans.filter { $0.target.start < part.end && part.start < $0.target.end }
    var readiness = RemoteMedium.Readiness.isThere
    for (url, spans) in Dictionary(grouping: near, by: \.url) {
      guard let medium = RemoteMedium(at: url) else { continue }
      let isAlone = spans.count { $0.target.start <= start } == 1
      let ranges = spans.map { span -> Range<Int64> in
        let bytes = span.bytes(of: part)
        guard isAlone, span.target.start <= start, !span.isReversed,
          let first = medium.readOffset.map({ min($0, span.size) }),
          abs(first - bytes.lowerBound) <= max(Int64(bytes.count), span.size / 8)
        else { return bytes }
        // What was read last is exact, also where seconds have different numbers of bytes. Elsewhere
        // in the medium it was read before a jump, or by the measuring of another item.
        let isToEnd = bytes.upperBound == span.size
        return first..<(isToEnd ? span.size : first + Int64(bytes.count))
      }
      let found = prefetch(ranges, of: medium, at: url, isAwaited: isAwaited)
      if found != .isThere, readiness != .hasFailed { readiness = found }
    }
    return readiness
  }

  /// Opens the media that sound at a place, and that are read from their start.
  ///
  /// - Returns: Their readers, for as long as `prefetch(before:)` is called.
  /// - Throws: `Failure` where one cannot be opened, or the wait for it is given up.
  func openMediaReadFromTheirStart(at place: Time) throws(Failure) -> [RemoteReader] {
    try spansReadFromTheirStart(at: place).map { span throws(Failure) in
      try RemoteReader(of: span.url)
    }
  }

  /// Fetches all bytes before a place of media that are read from their start, without waiting.
  ///
  /// - Returns: The state of these bytes.
  func prefetch(before place: Time) -> RemoteMedium.Readiness {
    var readiness = RemoteMedium.Readiness.isThere
    for span in spansReadFromTheirStart(at: place) {
      guard let medium = RemoteMedium(at: span.url) else { continue }
      let bytes = span.bytes(of: TimeRange(start: place, duration: .zero))
      let found = prefetch([0..<bytes.lowerBound], of: medium, at: span.url, isAwaited: true)
      if found != .isThere, readiness != .hasFailed { readiness = found }
    }
    return readiness
  }

  private func spansReadFromTheirStart(at place: Time) -> [RemoteSpan] {
    remoteSpans.filter { $0.isReadFromItsStart && $0.target.contains(place) }
  }

  private func prefetch(
    _ ranges: [Range<Int64>], of medium: RemoteMedium, at url: MediaURL, isAwaited: Bool
  ) -> RemoteMedium.Readiness {
    prefetched.withLock { _ = $0.insert(url) }
    return medium.prefetch(ranges, isAwaited: isAwaited)
  }

  /// Gives up what `prefetch` fetches.
  func endPrefetch() {
    let media = prefetched.withLock { media in
      defer { media = [] }
      return media
    }
    for url in media { RemoteMedium(at: url)?.prefetch([]) }
  }
}

/// The parts of an item that are here, found again only after bytes have come.
struct LoadedParts: Sendable {
  /// The bytes of each medium at the last look.
  private(set) var bytes: [MediaURL: [Range<Int64>]] = [:]
  /// Of each medium that was looked up in the cache's folder, since it was not open: its last opening before
  /// that; nil where there was none.
  typealias LookUps = [MediaURL: Int64?]
  /// Those of the last look.
  private(set) var lookUps: LookUps = [:]
  private var parts: [TimeRange]?

  /// The parts that follow from some bytes, which `find` finds.
  mutating func parts(
    of bytes: [MediaURL: [Range<Int64>]], after lookUps: LookUps, _ find: () -> [TimeRange]
  ) -> [TimeRange] {
    self.lookUps = lookUps
    if let parts, bytes == self.bytes { return parts }
    let found = find()
    (self.bytes, parts) = (bytes, found)
    return found
  }
}
