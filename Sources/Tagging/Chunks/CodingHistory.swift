/// The history in a `bext` chunk: a row for each step that the sound took (EBU R 98).
package enum CodingHistory {
  /// One row, as `A=PCM,F=48000,W=24,M=stereo,T=avjob 0.2;cut`.
  package struct Row: Sendable, Hashable {
    /// `ANALOGUE`, `PCM`, `MPEG1L2` …
    package var algorithm: String
    /// In Hz.
    package var sampleRate: Int?
    /// In kbit/s of a channel, for MPEG alone.
    package var bitRate: Int?
    /// Bits of a sample.
    package var wordLength: Int?
    /// `mono`, `stereo`, `dual-mono`, `joint-stereo`.
    package var mode: String?
    /// What was done and by what; no commas, which part the fields.
    package var text: String?

    package init(
      algorithm: String, sampleRate: Int? = nil, bitRate: Int? = nil, wordLength: Int? = nil,
      mode: String? = nil, text: String? = nil
    ) {
      (self.algorithm, self.sampleRate, self.bitRate) = (algorithm, sampleRate, bitRate)
      (self.wordLength, self.mode, self.text) = (wordLength, mode, text)
    }

    /// The row with its CR LF; commas and line ends within a text become semicolons.
    package var line: String {
      var fields = ["A=\(Self.plain(algorithm))"]
      if let sampleRate { fields.append("F=\(sampleRate)") }
      if let bitRate { fields.append("B=\(bitRate)") }
      if let wordLength { fields.append("W=\(wordLength)") }
      if let mode { fields.append("M=\(Self.plain(mode))") }
      if let text { fields.append("T=\(Self.plain(text))") }
      return fields.joined(separator: ",") + "\r\n"
    }

    private static func plain(_ text: String) -> String {
      var plain = String.UnicodeScalarView()
      for scalar in text.unicodeScalars {
        plain.append(scalar == "," || scalar.value < 0x20 ? ";" : scalar)
      }
      return String(plain)
    }
  }

  /// The line of a row.
  package static func row(
    algorithm: String, sampleRate: Int? = nil, bitRate: Int? = nil, wordLength: Int? = nil,
    mode: String? = nil, text: String? = nil
  ) -> String {
    Row(
      algorithm: algorithm, sampleRate: sampleRate, bitRate: bitRate, wordLength: wordLength,
      mode: mode, text: text
    ).line
  }

  /// A history with a row more, behind those that it has.
  package static func adding(_ row: Row, to history: String) -> String {
    let isOpen = history.last.map { !$0.isNewline } ?? false
    return history + (isOpen ? "\r\n" : "") + row.line
  }
}
