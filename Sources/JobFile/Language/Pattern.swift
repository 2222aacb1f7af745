import JobModel
import MPEGAudio
import MediaComposition

/// The texts of the language as regular expressions, in the common subset of ECMA-262, Python and
/// Swift: the parts of patterns in `Values`. Each accepts the texts of a reader of the language,
/// apart from bounds of numbers; tests compare the two.
enum Pattern {
  static func anyCase(_ word: String) -> String {
    word.map { letter in
      letter.isLetter ? "[\(letter.lowercased())\(letter.uppercased())]" : escaped("\(letter)")
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    text.map { #"\^$.|?*+()[]{}/"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }

  static func one(of alternatives: String...) -> String { one(of: alternatives) }

  static func one(of alternatives: [String]) -> String {
    "(\(alternatives.joined(separator: "|")))"
  }

  static func whole(_ pattern: String) -> String { "^\(pattern)$" }

  static let number = #"[0-9]+(\.[0-9]+)?"#
  static let signed = #"[+-]?[0-9]+(\.[0-9]+)?"#
  private static let reference =
    #"\$\{[A-Za-z_][A-Za-z0-9._-]*(:-[^}]*|:0[0-9]+|:%[YymdjGV%]([^}%]|%[YymdjGV%])*)?\}"#

  /// A text with well-formed variables, if any.
  static let text = whole(#"([^$]|\$(?!\{)|\$\$\{|"# + reference + ")*")
  /// A text with a variable of a part.
  static let partTemplate = #"(^|[^$])\$\{part\."#
  /// A text whose meaning depends on its variables.
  static let template = #"(^|[^$])"# + reference

  static let timeBody = one(
    of: number + " *(ms|s|m|h)", #"[0-9]+(\.0+)? *samples?"#, "[0-9]+/0*[1-9][0-9]* *s",
    #"[0-9]+(:[0-5][0-9]){1,2}(\.[0-9]+)?"#)
  static let time = whole(timeBody)
  /// A time, and no number of samples.
  static let slide = whole(#"(?!.*sample)"# + timeBody)

  static let momentBody = one(
    of: "start", "end(-\(timeBody))?", timeBody, pictureBody,
    #".+\.(start|end)([+-]"# + timeBody + ")?")
  /// A picture of a source.
  private static let pictureBody = one(
    of: "frame *[0-9]+", "([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][:;][0-9]{2,3}")
  static let moment = whole(momentBody)
  /// A moment of the whole, not of one of its items.
  static let ownMoment = whole(ownMomentBody)
  static let ownMomentBody = one(of: "start", "end(-\(timeBody))?", timeBody)
  /// A moment that counts from the end, or in a source.
  static let unplacedMoment = whole(one(of: "end(-\(timeBody))?", pictureBody))

  static let decibels = anyCase("dB")
  /// A level with its unit.
  static func level(in unit: LevelUnit) -> String {
    signed + " *" + one(of: unit.names.map(anyCase))
  }

  static let hertz = #"\+?"# + number + " *" + one(of: anyCase("kHz"), anyCase("Hz"))
  static let kilobits = one(of: ["k", "kbps", "kbit/s", "kb/s"].map(anyCase))
  static let positive = #"(?!0*(\.0*)? )(?!0+(\.0+)?[kK])"#
  static let bitRateBody = positive + number + " *" + kilobits

  /// One channel of a file.
  static let pickedChannel = whole(one(of: sides + [numberedChannel]))
  static let sides = ["left", "right", "centre", "center"]
  static let numberedChannel = "channel 0*[1-9][0-9]*"

  /// LAME's -V, up to 9.999.
  static let quality =
    #"0*([0-8](\.[0-9]+)?|9(\.(?=[0-9])(9{0,3}0*|9{0,2}[0-8][0-9]*))?)"#

  static let bits = "[ -]*" + anyCase("bit")

  /// What `Quantity.copying` reads.
  static let copying = anyCase("copy") + "( +" + anyCase("strict") + ")?"

  /// Not on the network, not by a variable of the shell, not of Windows, and in no other user's home.
  private static let local =
    #"(?!.*:\/\/)(?!\$[A-Za-z])(?!\\\\|[A-Za-z]:[\\\/\x00-\x1F])(?!~[^\/]+\/)"#
  /// A path: not empty, and not a pipe.
  static let path = whole(pathBody)
  private static let pathBody = "(?!-$)" + local + ".+"
  /// A path or an address.
  static let location = place("")
  /// A path or an address, and perhaps a range.
  static let clip = place("([ \\t]+" + rangeWord + ")?")

  /// A path, or an address with `end` behind it. What a text with variables becomes is not known, but
  /// for the scheme that it begins with.
  private static func place(_ end: String) -> String {
    let written = #"(?!(?!\#(web))[A-Za-z][A-Za-z0-9+.-]*:\/\/)(?=(.*[^$])?\#(reference)).+"#
    return whole(one(of: pathBody, address + end, written))
  }

  private static let web = anyCase("http") + #"[sS]?:\/\/"#
  /// An address by RFC 3986, as `MediaURL` takes it.
  private static let address: String = {
    let escape = "%(?!00)[0-9A-Fa-f]{2}"
    let user = "(([A-Za-z0-9._~!$&'()*+,;=:-]|\(escape))*@)?"
    let host = #"(\[[0-9A-Fa-f:.]{2,}\]|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?)"#
    let port = #"(:(?!0+(\D|$))[0-9]{1,5})?"#
    let rest = #"([\/?]([A-Za-z0-9._~!$&'()*+,;=:\/@?\[\]|-]|[^\x00-\x7F]|\#(escape))*)?"#
    return web + user + host + port + rest
  }()

  /// A clip text's last word, or all of it, as a range and not part of a name.
  private static let rangeWord =
    "((\(momentBody))?\\.\\.(\\+\(timeBody)|\(momentBody))|(\(momentBody))\\.\\.)$"
  static let clipWithRange = " " + rangeWord
  static let onlyRange = "^" + rangeWord
  /// A path whose extension stands for a format.
  static let outputPath = whole(
    local + #".*[^/]\."# + one(of: Output.Kind.allExtensions.map(anyCase)))
  /// A path whose extension alone makes an output one of `kinds`; nil where none does.
  static func outputPath(of kinds: [Output.Kind]) -> String? {
    let own = Output.Kind.allExtensions.filter {
      Output.Kind(extension: $0).map(kinds.contains) == true
    }
    return own.isEmpty ? nil : #"[^/]\."# + one(of: own.map(anyCase)) + "$"
  }
  /// A path whose extension stands for a format other than `kind`.
  static func otherOutputPath(than kind: Output.Kind) -> String {
    let own = Set(kind.capabilities.extensions)
    return #"\."# + one(of: Output.Request.mediaExtensions.subtracting(own).sorted().map(anyCase))
      + "$"
  }
  static let jsonPath = whole(local + #".*[^/]\."# + anyCase("json"))
  static let variableName = whole(
    "(?!\(one(of: VariableName.reserved))([.]|$))[A-Za-z_][A-Za-z0-9._-]*")
}

extension Output.Kind {
  /// The extensions that stand for a format.
  fileprivate static var allExtensions: [String] {
    allCases.flatMap(\.capabilities.extensions).reduce(into: []) { all, own in
      if !all.contains(own), Output.Kind(extension: own) != nil { all.append(own) }
    }
  }
}
