import Diagnosis
import JSON
import MediaTime
import SystemPackage

extension JSONValue {
  /// A time or a length of sound: its seconds, and beside them its exact text, as the job language
  /// reads it.
  package static func time(_ time: Time) -> JSONValue {
    .seconds(time.seconds, exact: time.description)
  }

  /// An object that begins with a file's path: `path`, and where that is not UTF-8, and so no
  /// text that would lead back to the file, its bytes in hexadecimal as `path_hex`.
  package static func file(
    _ path: FilePath, _ others: KeyValuePairs<String, JSONValue?>
  ) -> JSONValue {
    let bytes = String(validating: path) == nil ? path.bytes : nil
    return members(["path": .text(path.string), "path_hex": bytes.map { .hexadecimal($0) }])
      .with(members(others))
  }
}

extension JSONValue {
  /// An object that begins with a medium's place: `path` (and `path_hex`) of a file, as `file`
  /// writes it, `url`, an address without its secrets, or `source`, the name of a program's own.
  package static func medium(
    _ location: MediaLocation, _ others: KeyValuePairs<String, JSONValue?>
  ) -> JSONValue {
    switch location {
    case .file(let path): file(path, others)
    case .remote(let url): members(["url": .text("\(url)")]).with(members(others))
    case .source(let source): members(["source": .text(source.name)]).with(members(others))
    }
  }
}

extension Chapter {
  /// A chapter in any document.
  package var json: JSONValue {
    .members([
      "start": .time(start), "title": .text(title), "url": url.map { .text($0) },
    ])
  }
}

extension Metadata {
  /// The tags, without the cover.
  package var json: JSONValue { .object(items.map(\.json)) }
}

extension Metadata.Item {
  /// A text, or a list of several.
  package var json: JSONValue.Member {
    JSONValue.Member(key, values.count == 1 ? .text(values[0]) : .list(values.map { .text($0) }))
  }
}

extension LoudnessMeasurement {
  /// The figures in any document; null stands for −∞, or for a sound that is too short. `asDualMono`
  /// is the same sound counted twice; nil where it is no mono.
  package func json(asDualMono dual: LoudnessMeasurement? = nil) -> JSONValue {
    func figure(_ value: Double?) -> JSONValue { value.map { .number($0, decimals: 2) } ?? .null }
    return .members([
      "integrated_lufs": figure(integrated),
      "dual_mono_lufs": dual.map { figure($0.integrated) },
      "momentary_max_lufs": figure(maximumMomentary),
      "short_term_max_lufs": figure(maximumShortTerm), "range_lu": figure(range),
      "true_peak_dbtp": figure(truePeak), "sample_peak_dbfs": figure(samplePeak),
      "rms_dbfs": figure(rms), "noise_floor_dbfs": figure(noiseFloor),
    ])
  }
}
