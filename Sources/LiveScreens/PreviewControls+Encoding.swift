import Diagnosis
import Playback

/// The encoded output of a job beside its mix.
extension PreviewControls {
  /// Goes over from the mix to the encoded output, or back; encodes it, if that was not done.
  mutating func toggleEncoded() {
    guard let entry = currentEntry, let made = entry.made else { return }
    guard entry.encoded == nil else { return hear(encoded: !entry.isEncodedHeard) }
    do throws(Failure) {
      try outputs.encode(made)
      message = "encoding '\(made.entry.name)'"
    } catch {
      message = error.message
    }
  }

  /// Goes over to what was encoded, if its mix is still heard.
  mutating func take(_ encoded: EncodedOutputs.Encoded) {
    switch encoded.result {
    case .success(let item):
      let isPresent = items.update(entryOf: encoded.item) { $0.encoded = (item, encoded.file) }
      guard isPresent else {
        outputs.remove(encoded.file)
        message = "'\(item.name)' is of a former version; e encodes the present one"
        return
      }
      guard player.currentItem === encoded.item else {
        message = "'\(item.name)' is ready"
        return
      }
      hear(encoded: true)
    case .failure(let failure): message = "the output cannot be encoded: \(failure)"
    }
  }

  /// Goes over to the other sound of the present entry, at its place.
  private mutating func hear(encoded isEncoded: Bool) {
    guard let item = player.currentItem else { return }
    let time = player.currentTime
    items.update(entryOf: item) { $0.isEncodedHeard = isEncoded }
    guard let other = items.entry(of: item)?.item else { return }
    player.replace(item, with: other, at: time, insteadOf: time)
    message =
      isEncoded
      ? "the encoded output is heard: e goes back to the mix"
      : "the mix is heard: e goes over to the encoded output"
  }
}
