import Diagnosis
import MPEGAudio
import MediaComposition
import YAML

/// A named set of keys of an output (`preset: acx-audiobook`) in the language.
package struct OutputPreset: Sendable {
  /// Its name for `preset`.
  package let name: String
  /// Keys of an output and their texts; in braces, those of a map with one key.
  let keys: [(key: String, text: String)]

  /// A preset of these keys, and of the loudness and the checks of a delivery specification.
  private init(
    _ name: String, for specification: String? = nil, _ keys: KeyValuePairs<String, String>
  ) {
    self.name = name
    self.keys =
      keys.map { (key: $0.key, text: $0.value) }
      + (specification.map { [("loudness", $0), ("conform", $0)] } ?? [])
  }

  /// All of them.
  package static let all: [OutputPreset] = [
    // Apple Podcasts for Creators, "Audio requirements": MP3 of RSS feeds, recommended: mono 96 to
    // 128 kbps, stereo 128 to 256 kbps, at 44.1 or 48 kHz.
    OutputPreset(
      "podcast", ["mp3": "cbr 96k", "channels": "mono", "sample_rate": "44.1 kHz"]),
    OutputPreset(
      "podcast-stereo", ["mp3": "cbr 128k", "channels": "stereo", "sample_rate": "44.1 kHz"]),
    // Apple Podcasts for Creators, "Audio requirements": AAC of RSS feeds, and "Loudness".
    OutputPreset(
      "apple-podcasts", for: "apple-podcasts",
      ["aac": "128k", "sample_rate": "44.1 kHz"]),
    // ACX (Audible), "Audio Submission Requirements": MP3 of 192 kbps or more, CBR, 44.1 kHz; all
    // files of a book mono, or all stereo.
    OutputPreset(
      "acx-audiobook", for: "acx",
      ["mp3": "cbr 192k", "channels": "mono", "sample_rate": "44.1 kHz"]),
    // LibriVox wiki, "Tech Specs": 128 kbps CBR, mono, 44.1 kHz.
    OutputPreset(
      "librivox", for: "librivox",
      ["mp3": "cbr 128k", "channels": "mono", "sample_rate": "44.1 kHz"]),
    // No specification: speech in AAC, for M4B.
    OutputPreset("audiobook", ["aac": "64k", "channels": "mono", "sample_rate": "44.1 kHz"]),
    // No specification: speech, as small as it is still pleasant.
    OutputPreset(
      "voice-memo", ["mp3": "abr 32k", "channels": "mono", "sample_rate": "22.05 kHz"]),
    // EBU R 128, and EBU Tech 3285: a BWF whose `bext` has the five figures of version 2; rate and depth
    // are broadcast's usual ones.
    OutputPreset(
      "radio", for: "ebu-r128",
      [
        "wav": "24 bit", "bwf": "{ loudness: measure }", "channels": "stereo",
        "sample_rate": "48 kHz",
      ]),
    // FLAC (RFC 9639) with the chunks of its source; 24 bit and the source's rate, as IASA-TC 04, "Key
    // digital principles", has them.
    OutputPreset("archive", ["flac": "24 bit", "foreign": "keep", "strict": "true"]),
    // IASA-TC 04, "Key digital principles": BWF, 24 bit, at the source's rate, which should be 48 kHz or
    // more.
    OutputPreset(
      "archive-bwf", ["wav": "24 bit", "bwf": "{ loudness: measure }", "strict": "true"]),
  ]

  /// `mp3: cbr 96k, channels: mono`
  var summary: String { keys.map { "\($0.key): \($0.text)" }.joined(separator: ", ") }

  /// The usual extension for the preset called `name`; nil where there is none.
  package static func fileExtension(of name: String) -> String? {
    let keys = all.first { $0.name == name }?.keys ?? []
    return keys.lazy.compactMap { Output.Kind(rawValue: $0.key) }.first?
      .capabilities.extensions.first
  }
}

extension Decoder {
  /// The fields of an output with those of its preset: a key beside `preset` wins, and a format
  /// wins over the preset's.
  func withPreset(_ fields: Fields, _ scope: Scope) -> Fields {
    guard let entry = fields["preset"], let name = text(entry.value, scope) else { return fields }
    guard let preset = preset(named: name.string, at: entry.value.origin) else {
      var incomplete = fields
      incomplete.refuse("preset")
      return incomplete
    }
    let own = Set(fields.present(Language.formatKeys).map(\.key))
    let usual = Set(preset.present(Language.formatKeys).map(\.key))
    var replaced = own.isEmpty ? [] : Language.formatKeys
    // What goes into a WAV or a FLAC goes with it.
    if own.isDisjoint(with: usual), !own.isEmpty, !usual.isEmpty {
      replaced += ["bwf", "cart", "foreign"]
    }
    var merged = fields
    for other in preset.entries where fields[other.key] == nil && !replaced.contains(other.key) {
      merged.append(other)
    }
    for key in preset.refused { merged.refuse(key) }
    return merged
  }

  private func preset(named name: String, at origin: Origin) -> Fields? {
    if let own = presets[name] { return fields(of: own.value, as: Language.preset) }
    let place = PresetPlace(name: name, origin: origin)
    if let known = builtInPresets[place] { return known }
    guard let preset = OutputPreset.all.first(where: { $0.name == name }) else {
      refusePreset(name, at: origin)
      return nil
    }
    var fields = Fields(origin: origin)
    func entry(_ key: String, _ kind: YAMLNode.Kind) -> YAMLEntry {
      YAMLEntry(key: key, keyOrigin: origin, value: YAMLNode(kind, origin: origin))
    }
    func scalar(_ text: some StringProtocol) -> YAMLNode.Kind {
      .scalar(YAMLScalar(text: String(text)))
    }
    for (key, text) in preset.keys {
      guard text.hasPrefix("{") else {
        fields.append(entry(key, scalar(text)))
        continue
      }
      let words = text.split { "{: }".contains($0) }
      fields.append(entry(key, .mapping([entry(String(words[0]), scalar(words[1]))])))
    }
    builtInPresets[place] = fields
    return fields
  }

  /// Notes that a preset's level stands before the job's.
  func noteLoudness(
    of preset: YAMLEntry, _ own: LoudnessTarget?, insteadOf job: LoudnessTarget?
  ) {
    guard let own, let job, own.level != job.level else { return }
    sink.add(
      Diagnostic(
        .note, "the preset brings this output to \(own.level), and not to the job's \(job.level)",
        at: preset.value.origin, help: "for another level, write 'loudness' beside 'preset'",
        notes: [.init("the job's is written here", at: job.origin)]))
  }

  private func refusePreset(_ name: String, at origin: Origin) {
    guard !sink.drops(at: origin) else { return }
    let own = presets.values.filter { map.showsWords(at: $0.keyOrigin) }
    let names = OutputPreset.all.map(\.name) + own.map(\.key).sorted()
    let isLAMEs = (try? MP3Settings(parsing: name)) != nil
    let help = sink.isSuggesting ? Spelling.help(for: name, among: names) : nil
    let shown = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? " …" : "")
    sink.error(
      "there is no preset '\(name)'", at: origin,
      help: help
        ?? (isLAMEs
          ? "'\(name)' is a setting of MP3: write 'mp3: \(name)'"
          : "write one of \(shown), or put it under 'presets'"))
  }

  /// Reads the presets of the file.
  func readPresets(_ fields: Fields) {
    guard case .mapping(let entries)? = fields["presets"]?.value.kind else { return }
    for entry in entries where !entry.value.isMissing {
      guard !OutputPreset.all.contains(where: { $0.name == entry.key }) else {
        sink.error(
          "'\(entry.key)' is a preset of the language's own", at: entry.keyOrigin,
          help: "choose another name: what is built in means the same in every file")
        continue
      }
      presets[entry.key] = entry
      _ = self.fields(of: entry.value, as: Language.preset)
    }
  }

  /// Reports errors in the file's presets, even unused ones, unless only a job can give their
  /// values. Runs after all jobs were read.
  func checkPresets(_ scope: Scope) {
    for entry in presets.values where !loopBound.contains(where: entry.value.depends) {
      if let preset = fields(of: entry.value, as: Language.preset) { checkPreset(preset, scope) }
    }
  }
}

/// A use of a built-in preset, where its errors are reported.
struct PresetPlace: Hashable {
  var name: String
  var origin: Origin
}
