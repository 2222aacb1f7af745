import Diagnosis
import MediaComposition

/// The outputs of a run that are checked by specifications which take one channel format for all files
/// of a set, as ACX does for a book.
struct DeliverySets {
  private struct Member {
    var request: ConformRequest
    var output: Output
  }

  /// By the number of the job.
  private var members: [Int: [Member]] = [:]

  /// Takes the settled outputs of job number `index`, in place of those that it had before.
  mutating func set(_ outputs: some Sequence<Output>, of index: Int) {
    let found = outputs.flatMap { output in
      (output.conform ?? []).filter {
        DeliverySpecification.named($0.name)?.takesOneChannelFormat ?? false
      }.map { Member(request: $0, output: output) }
    }
    members[index] = found.isEmpty ? nil : found
  }

  /// A warning for each specification whose files differ: a run may make more than one set.
  var problems: [Diagnostic] {
    var firsts: [String: Output] = [:]
    var reported: Set<String> = []
    var found: [Diagnostic] = []
    for member in members.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
      let name = member.request.name
      guard let layout = member.output.channelLayout else { continue }
      guard let first = firsts[name], let other = first.channelLayout else {
        firsts[name] = member.output
        continue
      }
      guard layout.count != other.count, reported.insert(name).inserted else { continue }
      found.append(
        Diagnostic(
          .warning,
          "'\(member.output.path)' is \(layout.name), and '\(first.path)' is \(other.name): \(name) "
            + "takes one of them for all files of a set", at: member.request.origin,
          help: "give all jobs of the set the same 'channels'"))
    }
    return found
  }
}
