/// A file of sound that holds AAC or Apple Lossless beside MP4 and the files of pictures, chosen by an
/// output's extension.
package enum SoundContainer: String, Sendable, Hashable, CaseIterable, Codable {
  /// A bare stream of AAC, each packet behind a head of its own (ADTS; ISO 14496-3, 1.A.2). It has no
  /// place for anything else, and does not say how much of its sound is the encoder's delay.
  case adts = "aac"
  /// Apple Core Audio Format specification 1.0.
  case caf

  /// The file that has this extension, in any case, where its sound is of a kind; nil where that is a
  /// kind's usual file, or none.
  package init?(extension text: String, for kind: Output.Kind) {
    guard let container = Self(rawValue: text.lowercased()), container.soundKinds.contains(kind)
    else { return nil }
    self = container
  }

  /// The codecs that it is chosen for; PCM in CAF is a kind of its own.
  var soundKinds: [Output.Kind] { self == .caf ? [.alac, .aac] : [.aac] }

  /// The extensions of all that hold sound of a kind.
  static func extensions(for kind: Output.Kind) -> [String] {
    allCases.filter { $0.soundKinds.contains(kind) }.map(\.rawValue)
  }

  /// Its name, for messages.
  package var name: String { rawValue == "aac" ? "ADTS" : "CAF" }

  /// What its files can hold with sound of a kind.
  func capabilities(_ kind: Output.Kind) -> OutputCapabilities {
    var held = kind.capabilities
    (held.name, held.holdsCover) = (name, false)
    (held.holdsChapterLinks, held.holdsChapterImages) = (false, false)
    switch self {
    case .adts:
      (held.container, held.tagForm, held.heldTags) = (rawValue, .none, [])
      held.chapterBounds = nil
    case .caf:
      let own = OutputCapabilities.caf
      held.container = own.container
      (held.tagForm, held.heldTags) = (own.tagForm, own.heldTags)
      (held.chapterBounds, held.places) = (own.chapterBounds, [.cues])
    }
    return held
  }
}

extension Output {
  /// The file of its sound, where its extension is one of these and its sound of a kind for them.
  package func soundContainer(as kind: Kind) -> SoundContainer? {
    SoundContainer(extension: path.extension ?? "", for: kind)
  }
}
