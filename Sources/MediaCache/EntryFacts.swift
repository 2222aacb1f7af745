import HTTP
import LibAV
import SystemPackage

/// What is known of an address: what its server said, and which generation of bytes belongs to it.
struct EntryFacts: Sendable, Hashable {
  /// The address to show, without secrets.
  var address: String
  /// Names the files that hold the bytes: 16 hexadecimal digits, another number for each entity.
  var generation: String
  /// The entity's bytes.
  var size: Int64
  /// What distinguishes this entity from others.
  var validators: Validators
  /// When the server last said that the entity is this one, in milliseconds since 1970.
  var checked: Int64
  /// Which run asked it then.
  var run: String
  /// Seconds from then on for which the server need not be asked.
  var secondsFresh: Int
  /// Whether the server sends parts; else the whole alone.
  var hasRanges: Bool
  /// Whether Last-Modified is a strong validator (RFC 9110, 8.8.2.2).
  var hasStrongDate: Bool
  /// The SHA-256 of all bytes, once it was asked for.
  var digest: [UInt8]?

  /// What distinguishes an entity from others (RFC 9110, 8.8), as the server wrote it.
  struct Validators: Sendable, Hashable {
    /// ETag
    var entityTag: String?
    /// Last-Modified
    var lastModified: String?

    /// Whether there is none: then another run cannot know the entity again.
    var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// Compares them with those of an answer: the tag that both name must be the same, and the date,
    /// if there is no strong tag. Where they have nothing in common, a part that was asked for with
    /// If-Range is taken (RFC 9110, 13.1.5), and what neither names.
    ///
    /// - Parameters:
    ///   - others: Those of the answer.
    ///   - answersIfRange: Whether it is a part that was asked for with If-Range.
    /// - Returns: Whether the answer is of the same entity.
    func allow(_ others: Validators, answersIfRange: Bool) -> Bool {
      if let entityTag, let other = others.entityTag {
        // Versions that mean the same may share a weak tag, and not their bytes (8.8.1).
        guard entityTag == other, entityTag.hasPrefix("W/") else { return entityTag == other }
        guard let lastModified, let later = others.lastModified else { return true }
        return lastModified == later
      }
      if let lastModified, let other = others.lastModified { return lastModified == other }
      return answersIfRange || isEmpty && others.isEmpty
    }
  }

  /// For If-Range, which takes no weak validator (13.1.5).
  var ifRange: String? {
    guard let entityTag = validators.entityTag else {
      return hasStrongDate ? validators.lastModified : nil
    }
    return entityTag.hasPrefix("W/") ? nil : entityTag
  }

  /// A name for the bytes of another entity.
  static func newGeneration() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// Names new files for the bytes. What is fetched into them may have another digest.
  mutating func beginAnew() { (generation, digest) = (Self.newGeneration(), nil) }

  /// A file of facts has at most so many bytes.
  static let greatestSize = 16 << 10
  private static let title = "avjob media cache 2"
  private static let end = "\nend\n"

  /// The facts as lines: `name value`.
  var text: String {
    var lines = [
      Self.title, "address \(address)", "generation \(generation)", "size \(size)",
      "checked \(checked)", "fresh \(min(secondsFresh, Self.longestFresh))",
      "ranges \(hasRanges ? "yes" : "no")",
      "date \(hasStrongDate ? "strong" : "weak")", "run \(run)",
    ]
    if let tag = validators.entityTag { lines.append("tag \(tag)") }
    if let date = validators.lastModified { lines.append("modified \(date)") }
    if let digest { lines.append("sha256 \(digest.hexadecimal)") }
    return lines.joined(separator: "\n") + Self.end
  }
}

extension EntryFacts {
  /// Reads what `text` wrote; nil for anything else.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count <= Self.greatestSize, let text = String(validating: bytes, as: UTF8.self),
      text.hasSuffix(Self.end)
    else { return nil }
    let lines = text.dropLast(Self.end.utf8.count).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map(String.init) == Self.title else { return nil }
    var values: [Substring: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, values.updateValue(String(parts[1]), forKey: parts[0]) == nil else {
        return nil
      }
    }
    guard let address = values["address"], let generation = values["generation"],
      generation.utf8.count == 16, generation.utf8.allSatisfy({ $0.isLowerHex }),
      let size = values["size"].flatMap({ Int64($0) }), (0...Self.greatestEntity).contains(size),
      let checked = values["checked"].flatMap({ Int64($0) }),
      (0...Self.latestCheck).contains(checked), let run = values["run"],
      let fresh = values["fresh"].flatMap({ Int($0) }), (0...Self.longestFresh).contains(fresh),
      let ranges = values["ranges"], ["yes", "no"].contains(ranges),
      let date = values["date"], ["strong", "weak"].contains(date)
    else { return nil }
    (self.address, self.generation, self.size) = (address, generation, size)
    (self.checked, secondsFresh, hasRanges) = (checked, fresh, ranges == "yes")
    (self.run, hasStrongDate) = (run, date == "strong")
    validators = Validators(entityTag: values["tag"], lastModified: values["modified"])
    digest = values["sha256"].flatMap { [UInt8](hexadecimal: $0) }
  }

  /// Longer entities are refused: 4 TiB, some months of sound.
  static let greatestEntity: Int64 = 1 << 42
  /// The year 9999 ends there.
  private static let latestCheck: Int64 = 253_402_300_799_999
  /// As RFC 9111, 1.2.2, lets caches count.
  private static let longestFresh = Int(Int32.max)
}

extension UInt8 {
  fileprivate var isLowerHex: Bool { "0123456789abcdef".utf8.contains(self) }
}
