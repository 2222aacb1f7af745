import Diagnosis
import JobModel
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage

/// The kinds of values that keys share, each with a name, an example, a pattern and a reader.
enum Values {
  // MARK: Texts and paths

  static let text: NodeNotation<Located<String>> = NodeNotation(
    Form("text", [.text], "a text") { JSONForm.anyText }
  ) { node, decoder, scope in
    decoder.text(node, scope).map { Located($0.string, at: node.origin) }
  }

  static let path: NodeNotation<Located<FilePath>> = NodeNotation(
    Form("path", [.text], "a path, as 'media/theme.ogg'") { JSONForm.path }
  ) { node, decoder, scope in decoder.path(node, scope) }

  /// Where a medium is.
  static let location: Form = Form(
    "location", [.text], "a path or an address, as 'media/theme.ogg'"
  ) { JSONForm.location }

  /// A picture's address, or its path, where it must be.
  static let picture: NodeNotation<Located<MediaLocation>> = NodeNotation(
    Form("picture", [.text], "a picture's path or address, as 'media/ch1.jpg'") {
      JSONForm.location
    }
  ) { node, decoder, scope in
    guard let picture = decoder.location(node, scope) else { return nil }
    if let path = picture.value.file { decoder.checkFile(path, at: picture.origin) }
    return picture
  }

  /// Plain ASCII (RFC 3986 §2) wherever chapters are written.
  static let link = TextNotation(
    "link", "a link, as 'https://example.org'", Pattern.whole("[!-~]+")
  ) { text throws(QuantityError) in
    guard !text.isEmpty else {
      throw QuantityError("an empty text is no link", help: "leave it out")
    }
    let link = text.utf8.percentEncoded { 0x21...0x7E ~= $0 }
    guard link == text else {
      throw QuantityError("'\(text)' is no link: links are plain ASCII", help: "write '\(link)'")
    }
    return link
  }

  static let sha256 = TextNotation(
    "sha256", "64 hexadecimal digits", Pattern.whole("[0-9A-Fa-f]{64}")
  ) { text throws(QuantityError) in
    guard text.utf8.count == 64, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw QuantityError(
        "'\(text)' is no SHA-256", help: "write the 64 digits that 'sha256sum' prints")
    }
    return text.lowercased()
  }

  static let stream = TextNotation(
    "stream", "a whole number", Pattern.whole("[0-9]+"), or: ["type": "integer", "minimum": 0]
  ) { text throws(QuantityError) in
    guard let index = Quantity.count(text) else {
      throw QuantityError(
        "'\(text)' is no stream", help: "streams count from 0, as ffprobe prints them")
    }
    return index
  }

  static let version: Form = Form("version", [.text], "'1'") { JSONForm.words(["1", 1]) }

  // MARK: Times

  static let time = TextNotation(
    "time", "a time, as '1:30' or '250ms'", Pattern.time, parse: Decoder.time)

  static let moment = TextNotation(
    "moment", "a time, as '1:30', 'end-10s', 'frame 100' or 'talk.end'", Pattern.moment
  ) { text throws(QuantityError) in try Moment(parsing: text) }

  /// The length of parts, which is not zero.
  static let length = length("length", "parts of no length", help: "write { every: 10m }")

  /// The length of silences, which is not zero.
  static let silence = length(
    "silence", "silences of no length", help: "write { silence: 2s, below: -50 dB }")

  /// A bound of the length of parts, which is not zero.
  static let partLength = length(
    "part_length", "parts of no length",
    help: "write { silence: 300ms, below: -50 dB, shortest: 5s, longest: 15s }")

  private static func length(
    _ name: String, _ refusal: String, help: String
  ) -> TextNotation<TimeText> {
    TextNotation(
      name, "a time, as '10m'", Pattern.whole("(?=.*[1-9])(?!0+/)" + Pattern.timeBody)
    ) { text throws(QuantityError) in
      let length = try Decoder.time(text)
      guard length.time(atRate: 1) > .zero else { throw QuantityError(refusal, help: help) }
      return length
    }
  }

  /// A time on a clock: no file would give the rate of samples.
  static let timeout = TextNotation(
    "timeout", "a time, as '10m'",
    Pattern.whole("(?=.*[1-9])(?!0+/)(?!.*sample)" + Pattern.timeBody)
  ) { text throws(QuantityError) in
    guard case .time(let time) = try Decoder.time(text) else {
      throw QuantityError("'\(text)' is no time on a clock", help: "write a time, as '10m'")
    }
    guard time > .zero else {
      throw QuantityError(
        "'\(text)' leaves no time for anything", help: "write a time, as '10m', or leave it out")
    }
    return time
  }

  static let retries = TextNotation(
    "retries", "a whole number, as '3'", Pattern.whole("0*([0-9]{1,2}|100)"),
    or: ["type": "integer", "minimum": 0, "maximum": 100]
  ) { text throws(QuantityError) in
    guard let count = Quantity.count(text), count <= 100 else {
      throw QuantityError(
        "'\(text)' is no number of retries", help: "write a whole number from 0 to 100")
    }
    return count
  }

  // MARK: Sound

  static let gain = TextNotation(
    "gain", "a gain, as '-18 dB'",
    Pattern.whole(
      Pattern.one(
        of: "-inf *" + Pattern.decibels,
        #"[+-]?0*([0-9]{1,2}|1[0-9]{2}|200(?!\.0*[1-9]))(\.[0-9]+)? *"# + Pattern.decibels,
        #"\+?"# + Pattern.number + " *%"))
  ) { text throws(QuantityError) in try Gain(parsing: text) }

  static let place = TextNotation(
    "place", "a place, as '-20 %' or 'left'",
    Pattern.whole(Pattern.one(of: Pattern.sides + [Pattern.signed + " *%"])),
    parse: Quantity.pan)

  static let frequency = TextNotation(
    "frequency", "a frequency, as '80 Hz'", Pattern.whole(Pattern.hertz),
    parse: Quantity.frequency)

  /// A level in `unit`, as `example`, within bounds that its pattern does not have.
  static func level(
    _ name: String, _ example: String, in unit: LevelUnit, from range: ClosedRange<Double>
  ) -> TextNotation<Double> {
    TextNotation(name, "a level, as '\(example)'", Pattern.whole(Pattern.level(in: unit))) {
      text throws(QuantityError) in
      try Quantity.level(text, in: unit, from: range, example: example)
    }
  }

  static let boolean = TextNotation(
    "boolean", "'true' or 'false'", JSONForm.words([true, false, "true", "false"]),
    parse: Quantity.boolean)

  static let polarity = TextNotation(
    "polarity", [("inverted", true), ("normal", false)], or: [("invert", true)],
    refusal: "is no polarity")

  static let curve = TextNotation(
    "curve", VolumeCurve.allCases.map { ($0.rawValue, $0) }, refusal: "is no curve")

  static let factor = TextNotation(
    "factor", "a factor, as '1.05'",
    Pattern.whole(Pattern.one(of: "[0-9]+/0*[1-9][0-9]*", Pattern.number + " *%?")),
    or: ["type": "number", "minimum": .number(0.03125, decimals: 5), "maximum": 32],
    parse: Quantity.speed)

  /// Whether the pitch is kept.
  static let pitch = TextNotation(
    "pitch", [("keep", true), ("follow", false)], refusal: "is nothing that a pitch does")

  static let algorithm = TextNotation(
    "algorithm", TimePitchAlgorithm.allCases.map { ($0.rawValue, $0) }, refusal: "is no algorithm")

  static let rounds = TextNotation(
    "loop", "a number of rounds, as '4', or 'end'", Pattern.whole("(end|0*[1-9][0-9]*)"),
    or: ["type": "integer", "minimum": 1, "maximum": .count(Quantity.loopLimit)],
    parse: Quantity.loop)

  // MARK: Rates and layouts

  static let sampleRate = TextNotation(
    "sample_rate", "a sample rate, as '44.1 kHz'",
    Pattern.whole(
      Pattern.number + " *" + Pattern.one(of: Pattern.anyCase("kHz"), Pattern.anyCase("Hz"))),
    parse: Quantity.sampleRate)

  static let bitRate = TextNotation(
    "bit_rate", "a bit rate, as '128k'", Pattern.whole(Pattern.bitRateBody),
    parse: Quantity.bitRate)

  static let layout = TextNotation(
    "layout", "a layout, as 'mono', 'stereo' or '5.1'",
    JSONForm.words(JSONForm.layouts(ChannelLayout.named.map(\.key))), parse: Quantity.channels)

  static let channels = TextNotation(
    "channels", "'mono', 'stereo', 'left', 'right' or 'channel 1'",
    [
      "anyOf": [
        [
          "enum": .list(
            JSONForm.layouts(ChannelLayout.named.map(\.key))
              + Pattern.sides.map { .text($0) })
        ],
        [
          "type": "string",
          "anyOf": [
            ["pattern": .text(Pattern.whole(Pattern.numberedChannel))],
            ["pattern": .text(Pattern.template)],
          ],
        ],
      ]
    ], parse: Quantity.itemChannels)
}
