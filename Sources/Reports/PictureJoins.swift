import JSON

/// Pictures at joins, of which there may be more than is to be held or shown.
extension RunReport.Sound {
  private static let name = "picture_joins"

  /// Characters of the pictures at its joins.
  var drawnSize: Int {
    (facts[Self.name]?.elements ?? []).reduce(0) { sum, join in
      sum + (join["before"]?.text?.utf8.count ?? 0) + (join["after"]?.text?.utf8.count ?? 0)
    }
  }

  /// Forgets the pictures at its joins, and not where these are.
  mutating func forgetDrawn() {
    facts = .object(
      facts.members.map { member in
        member.name == Self.name ? JSONValue.Member(member.name, member.value.undrawn) : member
      })
  }
}

extension JSONValue {
  /// Joins of a picture without pictures.
  var undrawn: JSONValue {
    .list(
      (elements ?? []).map { join in
        .object(join.members.filter { !["before", "after"].contains($0.name) })
      })
  }
}
