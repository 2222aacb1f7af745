import MediaTime

/// A search for a picture with which decoding can begin, near a moment of a file.
package struct KeyPictureSearch: Sendable, Hashable, Codable {
  /// The file, which has a moving picture.
  package var asset: Asset
  /// In the time of its sound.
  package var time: Time

  /// A search around a moment of a file.
  package init(in asset: Asset, near time: Time) {
    self.asset = asset
    self.time = time
  }
}
