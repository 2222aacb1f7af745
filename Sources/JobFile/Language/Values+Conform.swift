import Diagnosis
import JSON
import JobModel
import MediaComposition
import YAML

/// The specifications that outputs are checked by.
extension Values {
  private static let nothing = "none"

  /// A specification that has limits, or `none`, read as an empty text.
  private static let checkedName = TextNotation(
    "conform_name", "a delivery specification, as 'acx'",
    JSONForm.words((DeliverySpecification.checked.map(\.name) + [nothing]).map { .text($0) })
  ) { text throws(QuantityError) -> String in
    if text == nothing { return "" }
    if let refusal = DeliverySpecification.refusal(of: text) {
      throw QuantityError(refusal.message, help: refusal.help)
    }
    return text
  }

  /// A name, a list of names, or `none`; each once.
  static let conform: NodeNotation<[ConformRequest]> = NodeNotation(
    Form("conform", [.text, .list], "a delivery specification, as 'acx', or a list of them") {
      JSONForm.oneOrMore(checkedName.form.tree())
    }
  ) { node, decoder, scope in
    var requests: [ConformRequest] = []
    for element in node.elements {
      guard let name = checkedName.read(element, decoder, scope) else { return nil }
      guard !name.value.isEmpty, !requests.contains(where: { $0.name == name.value }) else {
        continue
      }
      requests.append(ConformRequest(name.value, origin: name.origin))
    }
    return requests
  }
}
