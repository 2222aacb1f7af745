import Diagnosis
import TestSupport
import Testing

@testable import JobFile

/// Job files with secrets, of which something was broken: nothing that is said of them has a secret.
@Suite("Secrets in broken job files")
struct SecretMutantTests {
  private static let secrets = ["SECRETpw42", "T0kenS1gn4ture", "kEyMat3rial9"]
  private static let files = [
    """
    vars: { base: "https://h.invalid/media" }
    jobs:
      one:
        concat:
          - { clip: "${base}/x.wav?sig=T0kenS1gn4ture&exp=12", gain: -3 }
          - clip: https://ann:SECRETpw42@h.invalid/y.wav
        output: one.wav

    """,
    """
    clip: https://h.invalid/a b.wav?X-Amz-Signature=T0kenS1gn4ture&x=kEyMat3rial9
    output: a.flac

    """,
    """
    clip: http:///ann:SECRETpw42@h.invalid/y.wav?token=kEyMat3rial9
    output: a.flac

    """,
    """
    jobs:
      two:
        clip: 'https://ann:SECRETpw42@h.invalid/pod/ep1.mp3?sig=T0kenS1gn4ture'
        output: { file: out.mp3, mp3: V2 }
      three:
        tracks:
          music: { clip: "https://h.invalid/m.wav?k=kEyMat3rial9", loop: end }
          voice: [ https://bob:SECRETpw42@h.invalid/v.wav 0:01..0:05, { silence: 2s } ]
        output: three.opus

    """,
    """
    for_each: [ "https://h.invalid/a.wav?sig=T0kenS1gn4ture", "https://ann:SECRETpw42@h.invalid/b" ]
    clip: ${input}
    output: out/${input.stem}.mp3

    """,
  ]

  /// Breaks a character, mostly near a secret, which stays whole.
  private func broken(_ text: String, _ dice: inout Dice) -> String {
    var scalars = Array(text)
    var place = Int.random(in: scalars.indices, using: &dice)
    let near = Self.secrets.filter(text.contains).randomElement(using: &dice)
    if let near, let range = text.firstRange(of: near), Bool.random(using: &dice) {
      let start = text.distance(from: text.startIndex, to: range.lowerBound)
      let offset = Int.random(in: -30..<near.count + 10, using: &dice)
      place = (0..<near.count).contains(offset) ? start - 1 : start + offset
      place = min(max(0, place), scalars.count - 1)
    }
    let odd = Array(" \n\"':/?@&=#{}[],%\\\t$!*|>-xX0")
    switch Int.random(in: 0..<5, using: &dice) {
    case 0: scalars.remove(at: place)
    case 1: scalars.insert(odd.randomElement(using: &dice) ?? " ", at: place)
    case 2: scalars[place] = odd.randomElement(using: &dice) ?? " "
    case 3: scalars.swapAt(place, min(place + 1, scalars.count - 1))
    default: scalars.insert(contentsOf: scalars[max(0, place - 4)..<place], at: place)
    }
    return String(scalars)
  }

  @Test("are in no message, no excerpt and no annotation", arguments: 0..<8)
  func mutants(seed: UInt64) {
    var dice = Dice(seed)
    for _ in 0..<60 {
      var text = Self.files.randomElement(using: &dice) ?? ""
      for _ in 0..<Int.random(in: 1...2, using: &dice) { text = broken(text, &dice) }
      let said = everything(saidOf: text)
      for secret in Self.secrets where text.contains(secret) {
        #expect(!said.contains(secret), "\(text)\n\(said)")
      }
    }
  }

  /// On the screen, as annotations of GitHub, and as a report has it.
  private func everything(saidOf yaml: String) -> String {
    let map = SourceMap()
    let found: Diagnostics
    do throws(Diagnostics) {
      found = Diagnostics(try Bench().load(yaml, into: map).warnings)
    } catch {
      found = error
    }
    let masked = found.all.map(\.masked)
    let texts = masked.flatMap { [$0.message, $0.help ?? ""] + $0.notes.map(\.message) }
    return found.render(in: map) + found.githubCommands(in: map) + texts.joined(separator: "\n")
  }
}
