import MediaTime

extension Composition {
  /// The tracks whose pictures are shown: those of pictures that are enabled, and in a composition
  /// without tracks of pictures all others, whose sources bring their pictures along. O(tracks).
  package var shownTracks: [Track] {
    let ofPictures = videoTracks
    return ofPictures.isEmpty ? tracks : ofPictures.filter(\.isEnabled)
  }

  /// Every asset whose picture is shown, nested ones too. O(segments).
  package var shownAssets: Set<Asset> {
    var found: Set<Asset> = []
    collectShownAssets(into: &found)
    return found
  }

  private func collectShownAssets(into found: inout Set<Asset>) {
    for track in shownTracks {
      for segment in track.segments {
        switch segment.content {
        case .silence: continue
        case .asset(let asset): if asset.videoCodec != nil { found.insert(asset) }
        case .composition(let inner): inner.collectShownAssets(into: &found)
        }
      }
    }
  }

  /// Gives pictures that follow their sound a track of their own, on which they are shown as before.
  /// O(segments).
  mutating func separatePictures() {
    guard videoTracks.isEmpty, !shownAssets.isEmpty else { return }
    let whole = TimeRange(start: .zero, duration: duration)
    addTrack(
      Track(
        mediaType: .video, segments: [Segment(.composition(self), source: whole, at: .zero)]))
  }
}

extension Track {
  /// Refuses a source that has nothing for a track of this kind.
  func requireMedia(in asset: Asset) throws(EditError) {
    guard mediaType == .audio || asset.videoCodec != nil else { throw .missingMedia(.video) }
  }

  /// Refuses a composition that has nothing for a track of this kind. O(segments).
  func requireMedia(in composition: Composition) throws(EditError) {
    guard mediaType == .audio || !composition.shownAssets.isEmpty else {
      throw .missingMedia(.video)
    }
  }
}
