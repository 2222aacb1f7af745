import MediaTime

extension Composition {
  /// Every asset that sounds, nested ones too. O(segments).
  public var assets: Set<Asset> {
    var found: Set<Asset> = []
    collectAssets(into: &found)
    return found
  }

  private func collectAssets(into found: inout Set<Asset>) {
    // Clips of one file mostly follow one another, and to compare is cheaper than to hash.
    var last = Segment.Content.silence
    for track in tracks where track.sounds {
      for index in track.segments.indices {
        switch track.segments[index].content {
        case .silence: continue
        case .asset where track.segments[index].content == last: continue
        case .asset(let asset):
          last = track.segments[index].content
          found.insert(asset)
        case .composition(let inner): inner.collectAssets(into: &found)
        }
      }
    }
  }

  /// The asset that sounds longest of those whose outputs are of some kinds; of equal ones the first by
  /// its place. O(segments).
  package func longestHeard(in kinds: [Output.Kind]) -> Asset? {
    durationsByAsset.filter { $0.key.outputKind.map(kinds.contains) ?? false }.max { one, other in
      guard one.value == other.value else { return one.value < other.value }
      return (one.key.location, one.key.streamIndex) > (other.key.location, other.key.streamIndex)
    }?.key
  }

  /// How long each asset sounds, nested ones too, as far as no enclosing composition is cut. O(segments).
  private var durationsByAsset: [Asset: Time] {
    var found: [Asset: Time] = [:]
    for track in tracks where track.sounds {
      for segment in track.segments {
        switch segment.content {
        case .silence: continue
        case .asset(let asset): found[asset, default: .zero] += segment.target.duration
        case .composition(let inner):
          found.merge(inner.durationsByAsset) { $0 + $1 }
        }
      }
    }
    return found
  }

  /// Every asset that is read: those that sound, and those that are shown and impulse responses, which
  /// have no say in rates and channels. O(segments).
  package var readAssets: Set<Asset> {
    var found = assets.union(shownAssets)
    collectImpulses(into: &found)
    return found
  }

  private func collectImpulses(into found: inout Set<Asset>) {
    for track in tracks where track.sounds {
      for index in track.segments.indices {
        for case .reverb(let reverb) in track.segments[index].effects {
          found.insert(reverb.impulse)
        }
        if case .composition(let inner) = track.segments[index].content {
          inner.collectImpulses(into: &found)
        }
      }
    }
  }

  /// The chapters of the segments of its sound and of what is nested in them, in the composition's own
  /// time and in order of it. They follow every edit: what a range leaves out is gone, and what is
  /// played faster comes earlier. O(n log n) in the number of segments and chapters.
  public var chapters: [Chapter] {
    var found: [Chapter] = []
    for track in tracks where track.sounds {
      for segment in track.segments { found += segment.trackChapters }
    }
    return found.filter { .zero <= $0.start && $0.start < duration }.sortedByStart
  }

  /// Whether a segment has only some of its content's channels. O(segments).
  package var selectsChannels: Bool {
    tracks.contains { track in
      track.sounds
        && track.segments.contains { segment in
          if segment.channels != nil { return true }
          if case .composition(let inner) = segment.content { return inner.selectsChannels }
          return false
        }
    }
  }

  /// Whether anything in it is placed between left and right. O(segments).
  package var isPanned: Bool {
    tracks.contains { track in
      track.sounds
        && (!track.mix.pan.isCentre
          || track.segments.contains { segment in
            if !segment.mix.pan.isCentre { return true }
            if case .composition(let inner) = segment.content { return inner.isPanned }
            return false
          })
    }
  }
}

extension Segment {
  /// Its chapters, and those of a composition in it, in the time of its track.
  fileprivate var trackChapters: [Chapter] {
    let own = chapters.map { $0.moved(by: target.start) }
    guard case .composition(let inner) = content else { return own }
    // A reversed chapter begins where it ended.
    let nested = inner.chapters
    let ends = nested.map(\.start).dropFirst() + [inner.duration]
    return own
      + zip(nested, ends).compactMap { chapter, end in
        let moment = isReversed ? end : chapter.start
        let bounded = isReversed ? min(moment, source.end) : moment
        guard let start = trackTime(of: bounded) else { return nil }
        var moved = chapter
        moved.start = start
        return moved
      }
  }
}

extension Chapter {
  /// The same chapter, later by `offset`.
  package func moved(by offset: Time) -> Chapter {
    var copy = self
    copy.start = start + offset
    return copy
  }
}

extension [Chapter] {
  /// In order of time, and of writing where two begin at once. O(n log n).
  public var sortedByStart: [Chapter] {
    enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }
}
