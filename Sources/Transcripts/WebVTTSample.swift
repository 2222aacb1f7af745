import MediaTime

/// A cue as a sample of MP4 has it (ISO/IEC 14496-30, 7.4), or a block of Matroska.
package struct WebVTTSample: Sendable, Hashable {
  /// The text with its tags.
  package var payload: [UInt8]
  /// Where it is shown, as `align:start`; empty: the usual place.
  package var settings: [UInt8]
  /// Its name; empty: none.
  package var identifier: [UInt8]
  /// How the times within its text count.
  package var clock = InnerClock.cue
  /// What parts of one cue have in common that stand in several samples.
  package var source: [UInt8] = []

  package enum InnerClock: Sendable, Hashable {
    /// From its start.
    case cue
    /// As those of the file, by which the sound begins at a moment.
    case file(soundStart: Time)
    /// So that its start is what is written here, as WebVTT writes times.
    case text([UInt8])
  }

  /// A cue with a text; `settings` and `identifier` as they stand in a file.
  package init(payload: [UInt8], settings: [UInt8] = [], identifier: [UInt8] = []) {
    (self.payload, self.settings, self.identifier) = (payload, settings, identifier)
  }

  /// Cues in one sample of which more are not read.
  private static let most = 256

  /// The cues of a sample of MP4; none of one that shows nothing. What is damaged ends it.
  package static func all(in sample: [UInt8]) -> [WebVTTSample] {
    var boxes = Boxes(sample[...])
    var cues: [WebVTTSample] = []
    while cues.count < most, let box = boxes.next() {
      guard box.name.elementsEqual("vttc".utf8) else { continue }
      var cue = WebVTTSample(payload: [])
      var parts = Boxes(box.body)
      while let part = parts.next() {
        switch String(decoding: part.name, as: UTF8.self) {
        case "payl": cue.payload = Array(part.body)
        case "sttg": cue.settings = Array(part.body)
        case "iden": cue.identifier = Array(part.body)
        case "ctim": cue.clock = .text(Array(part.body))
        case "vsid": cue.source = Array(part.body)
        default: break
        }
      }
      if !cue.payload.isEmpty { cues.append(cue) }
    }
    return cues
  }

  /// Whether another one may be the next part of this one.
  package func isContinued(by next: WebVTTSample) -> Bool {
    payload == next.payload && settings == next.settings && identifier == next.identifier
      && source == next.source
  }
}

/// Boxes one after the other, each of a size in four bytes and a name of four (ISO/IEC 14496-12, 4.2).
private struct Boxes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> (name: ArraySlice<UInt8>, body: ArraySlice<UInt8>)? {
    guard rest.count >= 8 else { return nil }
    let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard 8...rest.count ~= size else { return nil }
    defer { rest = rest.dropFirst(size) }
    return (rest.dropFirst(4).prefix(4), rest.prefix(size).dropFirst(8))
  }
}
