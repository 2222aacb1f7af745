import MPEGAudio
import MediaComposition

/// MP3 settings as an output says them.
struct MP3Choice: Hashable {
  var settings: MP3Settings
  /// LAME mixes down to one channel under some of its names.
  var isMono = false
}

extension Decoder {
  /// `V2`, `abr 96k`, one of LAME's names, or a map.
  func mp3(_ node: YAMLNode, _ scope: Scope) -> MP3Choice? {
    guard case .mapping = node.kind else {
      return value(node, scope) { text throws(QuantityError) in
        guard text != "copy", text != "copy strict" else {
          throw QuantityError(
            "'\(text)' is not built yet", help: "encode with 'V0', which loses least")
        }
        let preset = MP3Preset(rawValue: text.lowercased())
        return MP3Choice(settings: try Self.mp3(text), isMono: preset?.isMono ?? false)
      }?.value
    }
    guard let fields = fields(of: node, as: .mp3) else { return nil }
    let rates = fields.present("vbr", "abr", "cbr")
    if let first = rates.first, let second = rates.dropFirst().first {
      sink.error(
        "'\(second.key)' beside '\(first.key)'", at: second.keyOrigin, help: "keep one of them",
        notes: [.init("the other one is here", at: first.keyOrigin)])
    }
    let quality = value(fields["quality"]?.value, scope) { text throws(QuantityError) in
      guard let quality = Quantity.count(text), (0...9).contains(quality) else {
        throw QuantityError("'\(text)' is no quality of LAME's", help: "write 0 (slowest) to 9")
      }
      return quality
    }
    let rate = rates.first.flatMap { entry in
      value(entry.value, scope) { text throws(QuantityError) in
        let isNumber = text.utf8.first.map { (0x30...0x39).contains($0) } ?? false
        let prefix = entry.key == "vbr" ? (isNumber ? "V" : "") : entry.key + " "
        return try Self.mp3(prefix + text)
      }
    }
    guard !rates.isEmpty || fields.isIncomplete else {
      sink.error("one of 'vbr', 'abr', 'cbr' is missing", at: node.origin)
      return nil
    }
    guard var settings = rate?.value else { return nil }
    settings.quality = quality?.value
    return MP3Choice(settings: settings)
  }

  private static func mp3(_ text: String) throws(QuantityError) -> MP3Settings {
    do throws(MP3SettingsError) {
      return try MP3Settings(parsing: text)
    } catch {
      throw QuantityError(error.message)
    }
  }
}
