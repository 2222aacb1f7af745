import Diagnosis
import JobModel
import MediaTime

/// How a job is run: after which others, how often, and how long.
struct JobCourse {
  var needs: [Located<String>] = []
  var retries: Int?
  var timeout: Located<Time>?
}

extension Decoder {
  /// `needs`, `retries` and `timeout`. Whether there are such jobs is asked when all are known.
  func course(_ fields: Fields, _ scope: Scope) -> JobCourse {
    let retries = value(fields["retries"]?.value, scope, Self.retries)
    let timeout = value(fields["timeout"]?.value, scope, Self.timeout)
    return JobCourse(needs: needs(fields, scope), retries: retries?.value, timeout: timeout)
  }

  private func needs(_ fields: Fields, _ scope: Scope) -> [Located<String>] {
    guard let entry = fields["needs"] else { return [] }
    var nodes = [entry.value]
    if case .sequence(let list) = entry.value.kind { nodes = list }
    var seen: Set<String> = []
    return nodes.compactMap { node in
      guard let name = text(node, scope)?.string, seen.insert(name).inserted else { return nil }
      return Located(name, at: node.origin)
    }
  }

  private static func retries(_ text: String) throws(QuantityError) -> Int {
    guard let count = Quantity.count(text), count <= 100 else {
      throw QuantityError(
        "'\(text)' is no number of retries", help: "write a whole number from 0 to 100")
    }
    return count
  }

  private static func timeout(_ text: String) throws(QuantityError) -> Time {
    guard case .time(let time) = try time(text) else {
      throw QuantityError("'\(text)' is no time on a clock", help: "write a time, as '10m'")
    }
    guard time > .zero else {
      throw QuantityError(
        "'\(text)' leaves no time for anything", help: "write a time, as '10m', or leave it out")
    }
    return time
  }
}

extension JobName {
  /// What all jobs of a loop are called together: the key, with the variables of the file filled in,
  /// or as it is written where each job fills it in.
  func group(in decoder: Decoder, _ scope: Scope) -> String {
    let isBound = key?.variables.contains {
      scope.globals[$0] == nil && !$0.hasPrefix("env.")
    }
    return isBound == true ? fallback : text(in: decoder, scope)
  }
}
