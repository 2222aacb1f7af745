import Diagnosis
import MPEGAudio

/// The result of probing one stream of a file: its facts, and its oddities.
package struct ProbedAsset: Sendable, Hashable, Codable {
  /// The facts.
  package var asset: Asset
  /// Oddities of a file that can be read all the same.
  package var warnings: [Warning]
  /// Whether the length is the tag's word, as that of an MP3 of which not all is here: what is found
  /// otherwise later must not be forgotten for it.
  package var isLengthAnnounced: Bool

  /// An asset with the warnings of its probing.
  package init(_ asset: Asset, warnings: [Warning] = [], isLengthAnnounced: Bool = false) {
    self.asset = asset
    self.warnings = warnings
    self.isLengthAnnounced = isLengthAnnounced
  }

  /// The same facts of the same file at another place, or with another number of its device,
  /// which is another one whenever some file systems are mounted.
  package func moved(to location: MediaLocation, _ identity: FileIdentity) -> ProbedAsset {
    let old = asset.location
    func moved(_ picture: Artwork?) -> Artwork? {
      guard case .embedded(var artwork)? = picture, artwork.media == old else { return picture }
      artwork.media = location
      artwork.identity = identity
      return .embedded(artwork)
    }
    var copy = self
    copy.asset.location = location
    copy.asset.identity = identity
    // A cover that is set to nil would be taken for one that was taken away.
    if let cover = moved(asset.metadata.cover) { copy.asset.metadata.cover = cover }
    for index in asset.chapters.indices {
      copy.asset.chapters[index].image = moved(asset.chapters[index].image)
    }
    for index in warnings.indices where warnings[index].location == old {
      copy.warnings[index].location = location
    }
    return copy
  }

  /// Whether a file could have these facts: what was written down somewhere may be damaged, and
  /// must not be more than a mistake.
  package var isPlausible: Bool {
    let pictures = [asset.metadata.cover] + asset.chapters.map(\.image)
    return asset.streamIndex >= Asset.noStream && (1...1 << 20).contains(asset.sampleRate)
      && (1...64).contains(asset.channelLayout.count)
      && (1...1 << 48).contains(asset.frameCount)
      && pictures.allSatisfy { $0?.isPlausible ?? true }
      && asset.chapters.allSatisfy { $0.start.isNumeric }
      && (asset.marks?.isPlausible ?? true)
      && asset.tracks.allSatisfy {
        [$0.firstPicture, $0.lastPictureEnd, $0.frameDuration].allSatisfy { $0?.isNumeric ?? true }
      }
  }
}

extension Artwork {
  /// Whether it lies within a file of its size.
  fileprivate var isPlausible: Bool {
    guard case .embedded(let artwork) = self else { return true }
    switch artwork.place {
    case .stream(let index): return index >= 0
    case .tag(let image):
      return image.stored.lowerBound >= 0
        && image.stored.upperBound <= max(0, artwork.identity.size)
    case .bytes(let stored):
      return stored.ranges.allSatisfy {
        $0.lowerBound >= 0 && $0.upperBound <= max(0, artwork.identity.size)
      }
    }
  }
}
