/// Labels of a bag's `bag-info.txt` whose values follow from the bag (RFC 8493, 2.2.2): avjob writes
/// them, and nobody else may.
package enum BagLabels {
  package static let date = "Bagging-Date"
  package static let agent = "Bag-Software-Agent"
  package static let oxum = "Payload-Oxum"

  private static let own: Set<String> = [date.lowercased(), agent.lowercased(), oxum.lowercased()]

  /// Whether a label is one of them, in capitals or small letters.
  package static func isOwn(_ label: String) -> Bool { own.contains(label.lowercased()) }
}
