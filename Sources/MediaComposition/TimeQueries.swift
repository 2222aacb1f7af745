import MediaTime

/// What sounds at a moment of a composition: a moment of an asset.
public struct SourceMoment: Sendable, Hashable {
  /// What sounds.
  public var asset: Asset
  /// The moment of the asset, in its own time.
  public var time: Time
  /// The index of the track that it sounds on; of the outermost one, where it is nested.
  public var track: Int
  /// Whether it is heard backwards there. Forwards, a moment is the start of the sound that is
  /// heard, and backwards it is the end: both ends of `a ..< b` are heard once, `a` forwards and
  /// `b` backwards.
  public var isReversed: Bool

  /// A moment of `asset`.
  package init(asset: Asset, time: Time, track: Int, isReversed: Bool) {
    self.asset = asset
    self.time = time
    self.track = track
    self.isReversed = isReversed
  }
}

extension Track {
  /// The segment that holds a moment of the track (`AVAssetTrack.segment(forTrackTime:)`).
  ///
  /// Unlike AVFoundation's it is nil, and not the nearest one, where there is none.
  /// O(log segments).
  public func segment(forTrackTime time: Time) -> Segment? { segment(holding: time, side: .after) }

  /// The moment of the segment's content that sounds at a moment of the track
  /// (`AVAssetTrack.samplePresentationTime(forTrackTime:)`); nil where nothing does.
  /// O(log segments).
  public func samplePresentationTime(forTrackTime time: Time) -> Time? {
    segment(forTrackTime: time)?.sourceTime(at: time)
  }

  /// The least number of ticks a second on which all its sources' frames fall
  /// (`AVAssetTrack.naturalTimeScale`): the least common multiple of their sample rates, nested
  /// ones too.
  ///
  /// Where that is no timescale it is the highest of the rates, and where nothing sounds it is
  /// 600, as in AVFoundation. O(segments).
  public var naturalTimescale: Int32 {
    var rates: Set<Int32> = []
    collectRates(into: &rates)
    guard let highest = rates.max() else { return 600 }
    return rates.reduce(Int32?(1)) { $0?.commonMultiple(with: $1) } ?? highest
  }

  private func collectRates(into rates: inout Set<Int32>) {
    for segment in segments {
      switch segment.content {
      case .silence: continue
      case .asset(let asset): rates.insert(asset.naturalTimescale)
      case .composition(let inner): for track in inner.tracks { track.collectRates(into: &rates) }
      }
    }
  }
}

extension Asset {
  /// Ticks a second on which its frames fall (`AVAssetTrack.naturalTimeScale`): its sample rate.
  package var naturalTimescale: Int32 { Int32(clamping: sampleRate) }
}

extension Composition {
  /// All that sounds at a moment, in order of tracks, through nested compositions, speeds and
  /// reversals. Tracks that are not enabled do not sound. O(log segments) for each track.
  public func sources(at time: Time) -> [SourceMoment] {
    var found: [SourceMoment] = []
    for index in tracks.indices where tracks[index].sounds {
      tracks[index].collectSources(at: time, side: .after, on: index, into: &found)
    }
    return found
  }

  /// All moments at which a moment of an asset is heard, in order and each once: those for which
  /// `sources(at:)` gives it. O(n log n) in the number of segments, nested ones too.
  public func times(of asset: Asset, at sourceTime: Time) -> [Time] {
    var found: [Time] = []
    collectTimes(of: asset, at: sourceTime, side: .after, into: &found)
    found.sort()
    return found.enumerated().filter { $0.offset == 0 || found[$0.offset - 1] != $0.element }
      .map(\.element)
  }

  fileprivate func collectTimes(
    of asset: Asset, at sourceTime: Time, side: Side, into found: inout [Time]
  ) {
    for track in tracks where track.sounds {
      for segment in track.segments {
        segment.collectTimes(of: asset, at: sourceTime, side: side, into: &found)
      }
    }
  }
}

/// What a moment stands for: the sound after it, or before it where time runs backwards.
private enum Side {
  case after, before

  func reversed(if isReversed: Bool) -> Side {
    guard isReversed else { return self }
    return self == .after ? .before : .after
  }

  /// Whether the sound at `time` is in `range`.
  func isSound(at time: Time, in range: TimeRange) -> Bool {
    switch self {
    case .after: range.contains(time)
    case .before: range.start < time && time <= range.end
    }
  }
}

extension Track {
  fileprivate func segment(holding time: Time, side: Side) -> Segment? {
    let index =
      side == .after
      ? index(endingAfter: time) : segments.partitioningIndex { $0.target.end >= time }
    guard index < segments.count, side.isSound(at: time, in: segments[index].target)
    else { return nil }
    return segments[index]
  }

  fileprivate func collectSources(
    at time: Time, side: Side, on track: Int, into found: inout [SourceMoment]
  ) {
    guard let segment = segment(holding: time, side: side) else { return }
    let moment = segment.content(at: time)
    let side = side.reversed(if: segment.isReversed)
    switch segment.content {
    case .silence:
      return
    case .asset(let asset):
      found.append(
        SourceMoment(asset: asset, time: moment, track: track, isReversed: side == .before))
    case .composition(let inner):
      for nested in inner.tracks where nested.sounds {
        nested.collectSources(at: moment, side: side, on: track, into: &found)
      }
    }
  }
}

extension Segment {
  /// The moment of the content that is heard at a moment of the target, both ends included.
  fileprivate func content(at time: Time) -> Time {
    let moment = target.map(time, to: source)
    return isReversed ? source.start + (source.end - moment) : moment
  }

  fileprivate func collectTimes(
    of asset: Asset, at sourceTime: Time, side: Side, into found: inout [Time]
  ) {
    let inner = side.reversed(if: isReversed)
    var moments: [Time] = []
    switch content {
    case .silence: return
    case .asset(let own): if own == asset { moments = [sourceTime] }
    case .composition(let nested):
      nested.collectTimes(of: asset, at: sourceTime, side: inner, into: &moments)
    }
    for moment in moments where inner.isSound(at: moment, in: source) {
      let ahead = isReversed ? source.start + (source.end - moment) : moment
      found.append(source.map(ahead, to: target))
    }
  }
}
