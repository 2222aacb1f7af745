import ExportEngine
import JSON
import MediaComposition
import MediaTime

extension MediaPicture {
  /// How the times of its pictures follow one another: `constant` or `variable`; nil where nothing says.
  private func rateMode(_ track: AssetTrack?) -> String? {
    if track?.frameDuration != nil { return "constant" }
    // An index that lists all pictures says so.
    return count == nil ? nil : "variable"
  }

  /// Pictures a second: where they last equally long exactly, else on average.
  private func rate(_ track: AssetTrack?) -> Ratio? {
    guard let duration = track?.frameDuration else { return meanRate }
    return Ratio(Int(duration.timescale), Int(duration.value)).reduced
  }

  /// One line.
  func text(of stream: MediaStream, _ track: AssetTrack?) -> String {
    var facts = ["stream \(stream.index)", stream.codec]
    if width > 0 { facts.append("\(width)x\(height)") }
    if let pixelFormat { facts.append(pixelFormat) }
    if pixelShape.numerator != pixelShape.denominator {
      facts.append("pixels \(pixelShape.numerator):\(pixelShape.denominator)")
    }
    if rotation != 0 { facts.append("turned by \(rotation)°") }
    if isMirrored { facts.append("mirrored") }
    facts += [rateText(track), countText].compactMap(\.self)
    if let timecode = track?.timecode { facts.append("timecode \(timecode)") }
    facts += colourTexts
    return (facts + [stream.language, stream.title.map { "'\($0)'" }].compactMap(\.self))
      .joined(separator: ", ")
  }

  private func rateText(_ track: AssetTrack?) -> String? {
    let mode = rateMode(track)
    guard let rate = rate(track) else { return mode.map { "\($0) rate" } }
    let hundredths = (Double(rate.numerator) / Double(rate.denominator) * 100).rounded()
    let number = JSONValue.number(hundredths / 100, decimals: 2).line
    switch mode {
    case "constant": return "\(number) pictures a second"
    case "variable": return "variable rate, \(number) pictures a second on average"
    default: return "about \(number) pictures a second"
    }
  }

  private var countText: String? {
    guard let count else { return nil }
    let pictures = count == 1 ? "1 picture" : "\(count) pictures"
    guard let keyCount, let keyDistance, keyCount < count else { return pictures }
    return pictures
      + (keyCount == 1
        ? " with one key picture"
        : " with \(keyCount) key pictures at most \(keyDistance.clockText(decimals: 3)) apart")
  }

  private var colourTexts: [String] {
    let names = ["primaries", "transfer", "matrix"].compactMap { colours[$0] }
    let isOne = names.count == 3 && Set(names).count == 1
    let ranges = ["tv": "limited range", "pc": "full range"]
    return (isOne ? [names[0]] : names.isEmpty ? [] : [names.joined(separator: "/")])
      + [colours["range"].flatMap { ranges[$0] }].compactMap(\.self)
  }

  /// A member `picture` of a stream (`docs/json.md`).
  func json(_ track: AssetTrack?) -> JSONValue {
    let colours = ["range", "primaries", "transfer", "matrix"].compactMap { name in
      self.colours[name].map { JSONValue.Member(name, .text($0)) }
    }
    return .members([
      "width": width > 0 ? .count(width) : nil, "height": height > 0 ? .count(height) : nil,
      "pixel_format": pixelFormat.map { .text($0) },
      "pixel_aspect": .text("\(pixelShape.numerator):\(pixelShape.denominator)"),
      "rotation": .count(rotation), "mirrored": isMirrored ? true : nil,
      "frame_rate": rate(track).map { .text("\($0.numerator)/\($0.denominator)") },
      "frame_rate_mode": rateMode(track).map { .text($0) },
      "pictures": count.map { .integer($0) }, "key_pictures": keyCount.map { .count($0) },
      "key_distance": keyDistance.map { .time($0) },
      "timecode": track?.timecode.map { .text($0) },
      "colours": colours.isEmpty ? nil : .object(colours),
    ])
  }
}

extension MediaPicture.Ratio {
  /// The same in the smallest numbers.
  fileprivate var reduced: MediaPicture.Ratio {
    var (a, b) = (numerator, denominator)
    while b != 0 { (a, b) = (b, a % b) }
    return a > 0 ? MediaPicture.Ratio(numerator / a, denominator / a) : self
  }
}
