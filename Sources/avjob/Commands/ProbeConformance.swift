import Diagnosis
import MediaComposition
import Terminal

/// `avjob probe --conform`
extension Probe {
  /// A warning for each specification whose files have not all as many channels.
  static func mixedSets(
    _ media: [ProbedMedia], _ specifications: [DeliverySpecification]
  ) -> [Diagnostic] {
    guard let first = media.first?.asset else { return [] }
    let other = media.lazy.map(\.asset).first {
      $0.channelLayout.count != first.channelLayout.count
    }
    guard let other else { return [] }
    return specifications.filter(\.takesOneChannelFormat).map { specification in
      Diagnostic(
        .warning,
        "'\(other.location)' is \(other.channelLayout.name), and '\(first.location)' is "
          + "\(first.channelLayout.name): \(specification.name) takes one of them for all files of a "
          + "set", at: .unknown)
    }
  }
}

extension ProbedMedia {
  /// A table for each specification.
  var conformanceText: String {
    conformances.map { conformance in
      let document = DeliverySpecification.named(conformance.specification)?.document ?? ""
      let verb = conformance.isMet ? "conforms" : "does not conform"
      let rows = conformance.checks.map { check in
        let verdict =
          check.passed ? "ok" : "not ok: \(check.remedy(for: conformance.specification))"
        return [check.label, check.found, check.limit, verdict]
      }
      let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
      let lines = rows.map { row in
        "  " + zip(row, widths).map { $0.padded(to: $1 + 2) }.joined() + row[3]
      }
      let head = "\(asset.location): \(verb) to \(conformance.specification) (\(document))"
      return ([head] + lines).map(\.printable).joined(separator: "\n") + "\n"
    }.joined()
  }
}
