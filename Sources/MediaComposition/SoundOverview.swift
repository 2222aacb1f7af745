import Glibc
import JSON

/// A sound in a few hundred columns, to be drawn: its peaks, and its loudness over time.
public struct SoundOverview: Sendable, Hashable, Codable {
  /// The largest magnitude in each of the sound's equal parts, over all channels: 250 is full scale,
  /// 251 to 255 anything over it.
  public var peaks: [UInt8]
  /// The loudest three seconds that end within each of the sound's equal parts (EBU Tech 3341), in
  /// thirds of an LU from −75 LUFS, as 1, up; 0 where there is none.
  public var loudness: [UInt8]

  /// Columns of peaks, at most; of a short sound, one for each 10 ms.
  package static let peakColumns = 600
  /// Columns of loudness, at most; of a short sound, one for each 100 ms.
  package static let loudnessColumns = 300

  /// Of these columns.
  package init(peaks: [UInt8], loudness: [UInt8]) {
    self.peaks = peaks
    self.loudness = loudness
  }

  /// A column of a magnitude.
  package static func column(ofPeak peak: Float) -> UInt8 {
    // Anything over full scale shows.
    peak > 1 ? UInt8(max(251, min(255, peak * 250))) : UInt8(max(0, peak * 250).rounded())
  }

  /// A column of a loudness in LUFS.
  package static func column(ofLoudness loudness: Double) -> UInt8 {
    UInt8(max(1, min(255, ((loudness + 75) * 3).rounded())))
  }

  /// In documents.
  package var json: JSONValue { ["peaks": .base64(peaks), "loudness": .base64(loudness)] }

  /// An overview of a document; nil for any other value. O(length).
  package init?(_ json: JSONValue) {
    guard let peaks = json["peaks"]?.base64Bytes, let loudness = json["loudness"]?.base64Bytes
    else {
      return nil
    }
    self.init(peaks: peaks, loudness: loudness)
  }

  /// This overview in fewer columns: each is the largest of `factor` columns.
  package func thinned(by factor: Int) -> SoundOverview {
    func thinned(_ columns: [UInt8]) -> [UInt8] {
      stride(from: 0, to: columns.count, by: factor).map { start in
        columns[start..<min(start + factor, columns.count)].max() ?? 0
      }
    }
    return SoundOverview(peaks: thinned(peaks), loudness: thinned(loudness))
  }
}
