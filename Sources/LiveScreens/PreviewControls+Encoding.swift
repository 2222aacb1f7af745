import Diagnosis
import MediaTime
import Playback

/// The encoded output of a job beside its mix.
extension PreviewControls {
  /// The two sounds of an entry.
  struct SoundPair {
    let mix: PlayerItem
    let encoded: PlayerItem
  }

  /// Goes over from the mix to the encoded output, or back; encodes it, if that was not done.
  mutating func toggleEncoded() {
    guard let item = player.currentItem, let made = items.madeItem(of: item) else { return }
    if let pair = pairs.first(where: { $0.encoded === item }) {
      exchange(item, for: pair.mix)
      message = "the mix is heard: e goes over to the encoded output"
    } else if let pair = pairs.first(where: { $0.mix === item }) {
      hear(pair)
    } else {
      do throws(Failure) {
        try outputs.encode(made, for: item)
        message = "encoding '\(made.entry.name)'"
      } catch {
        message = error.message
      }
    }
  }

  /// Goes over to what was encoded, if its mix is still heard.
  mutating func take(_ encoded: EncodedOutputs.Encoded) {
    switch encoded.result {
    case .success(let item):
      pairs.append(SoundPair(mix: encoded.item, encoded: item))
      guard player.currentItem === encoded.item, let pair = pairs.last else {
        message = "'\(item.name)' is ready"
        return
      }
      hear(pair)
    case .failure(let failure): message = "the output cannot be encoded: \(failure.message)"
    }
  }

  private mutating func hear(_ pair: SoundPair) {
    exchange(pair.mix, for: pair.encoded)
    message = "the encoded output is heard: e goes back to the mix"
  }

  private mutating func exchange(_ item: PlayerItem, for other: PlayerItem) {
    let time = player.currentTime
    items.exchange(item, for: other)
    player.replace(item, with: other, at: time, insteadOf: time)
    if loopedItem === item { loopedItem = other }
  }
}
