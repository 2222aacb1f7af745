/// Texts of single cues of WebVTT, for tracks of texts that are changed into another form.
package enum WebVTTText {
  /// What is read of the text of a cue: without tags and times, and with its character references
  /// resolved. O(n)
  package static func plain(_ markup: String) -> String {
    MarkupPart.parts(of: markup).reduce(into: "") { plain, part in
      if case .text(let text) = part { plain += text }
    }
  }

  /// A plain text as the text of a cue. O(n)
  package static func markup(_ plain: String) -> String { CharacterReference.escaped(plain) }
}
