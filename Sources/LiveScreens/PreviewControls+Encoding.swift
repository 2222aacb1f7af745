import Diagnosis
import MediaTime
import Playback
import SystemPackage

/// The encoded output of a job beside its mix.
extension PreviewControls {
  /// The two sounds of an entry.
  struct SoundPair {
    let mix: PlayerItem
    let encoded: PlayerItem
    let file: FilePath
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
      guard items.index(of: encoded.item) != nil else {
        outputs.remove(encoded.file)
        message = "'\(item.name)' is of a former version; e encodes the present one"
        return
      }
      let pair = SoundPair(mix: encoded.item, encoded: item, file: encoded.file)
      pairs.append(pair)
      guard player.currentItem === encoded.item else {
        message = "'\(item.name)' is ready"
        return
      }
      hear(pair)
    case .failure(let failure): message = "the output cannot be encoded: \(failure)"
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
    if touredItem === item { touredItem = other }
  }

  /// Forgets outputs of which neither sound is an item of the preview any more, and removes their files.
  mutating func dropPairs(outside all: [PlayerItem]) {
    let present = Set(all.map { ObjectIdentifier($0) })
    let gone = pairs.filter { pair in
      present.isDisjoint(with: [ObjectIdentifier(pair.mix), ObjectIdentifier(pair.encoded)])
    }
    for pair in gone { outputs.remove(pair.file) }
    pairs.removeAll { pair in gone.contains { $0.file == pair.file } }
  }
}
