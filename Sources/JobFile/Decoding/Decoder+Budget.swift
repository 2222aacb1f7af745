import Diagnosis
import JobModel
import YAML

/// Items of a node, with what they take together.
private struct SizedItems {
  let items: [Item]
  let size: Int
}

/// What jobs take of memory is counted while they are decoded: one job may hold what no run may.
extension Decoder {
  /// Counts what a job takes of memory; false, after a report, where that is too much.
  func takes(_ job: Job, at origin: Origin, _ subject: String) -> Bool {
    guard !isExhausted else { return false }
    size += job.writtenSize(isSent: isSent)
    if size > sizeLimit { exhaust(by: subject, at: origin) }
    return !isExhausted
  }

  /// Counts what an item takes of memory without the items in it; none, after a report, where that is
  /// too much.
  func counted(_ item: Item) -> Item? {
    count(item.ownSize(isSent: isSent), at: item.origin)
    return isExhausted ? nil : item
  }

  private func count(_ bytes: Int, at origin: Origin) {
    unfinishedSize += bytes
    if size + unfinishedSize > sizeLimit, !isExhausted { exhaust(by: "this item", at: origin) }
  }

  /// The items of `node` by `decode`, which counts them: they are decoded once and counted each time.
  func counted(_ node: YAMLNode, in scope: Scope, _ decode: () -> [Item]) -> [Item] {
    guard !isExhausted else { return [] }
    let before = unfinishedSize
    let made = shared(node, in: scope) { () -> SizedItems in
      let items = decode()
      return SizedItems(items: items, size: unfinishedSize - before)
    }
    unfinishedSize = before
    count(made.size, at: node.origin)
    return isExhausted ? [] : made.items
  }

  /// Whether the lists that are written in a job of a loop leave room for `count` of them; false, after
  /// a report, where they do not.
  func hasRoom(for count: Int, of fields: Fields, at origin: Origin) -> Bool {
    let details = fields.entries.reduce(0) { $0 + $1.leastDetails }
    guard !isExhausted, details * SegmentBudget.detailSize > (sizeLimit - size) / max(1, count)
    else { return !isExhausted }
    exhaust(by: "the \(grouped(count)) jobs of this loop", at: origin)
    return false
  }

  private func exhaust(by subject: String, at origin: Origin) {
    isExhausted = true
    sink.add(SegmentBudget.excess(of: subject, over: sizeLimit, at: origin))
  }
}

extension YAMLEntry {
  /// Filters, ranges, points and chapters that a key of an item has for any values of variables.
  /// A test goes over all keys.
  fileprivate var leastDetails: Int {
    switch (key, value.kind) {
    case ("effects", .sequence(let list)), ("cut", .sequence(let list)),
      ("mute", .sequence(let list)):
      list.count
    // The long forms have at most three keys.
    case ("chapters", .mapping(let points)), ("volume", .mapping(let points)),
      ("pan", .mapping(let points)):
      max(0, points.count - 3)
    case ("concat", .sequence(let items)), ("insert", .sequence(let items)):
      items.leastDetails
    case ("tracks", .mapping(let tracks)):
      tracks.reduce(0) { sum, track in
        guard case .sequence(let items) = track.value.kind else {
          return sum + track.value.leastDetails
        }
        return sum + items.leastDetails
      }
    default: 0
    }
  }
}

extension YAMLNode {
  /// What an item has of filters, ranges, points and chapters for any values of variables; none where
  /// the item may be left out.
  fileprivate var leastDetails: Int {
    guard case .mapping(let entries) = kind, !hasKey({ $0 == "when" || $0 == "each" }) else {
      return 0
    }
    return entries.reduce(0) { $0 + $1.leastDetails }
  }
}

extension [YAMLNode] {
  fileprivate var leastDetails: Int {
    contains(where: \.isExclusion) ? 0 : reduce(0) { $0 + $1.leastDetails }
  }
}
