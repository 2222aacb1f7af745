import Diagnosis
import JobModel
import YAML

extension Decoder {
  /// Reports ducks under tracks that are not there, under themselves, and in a circle. `entries` are
  /// all tracks of the mix, refused ones too.
  func checkDucks(of tracks: [ItemTrack], among entries: [YAMLEntry]) {
    var under: [String: [Located<String>]] = [:]
    for track in tracks {
      guard let ducking = track.sequence.items.first?.ducking else { continue }
      under[track.name] = ducking.under
    }
    guard !under.isEmpty else { return }
    let names = Set(entries.map(\.key))
    for track in tracks {
      for name in under[track.name] ?? [] where !names.contains(name.value) {
        refuseUnknown(name, beside: track, among: entries)
      }
    }
    if let circle = Self.circle(among: tracks.map(\.name), under) { refuse(circle) }
  }

  private func refuseUnknown(
    _ name: Located<String>, beside track: ItemTrack, among entries: [YAMLEntry]
  ) {
    guard !sink.drops(at: name.origin) else { return }
    let others = entries.filter { $0.key != track.name && map.showsWords(at: $0.keyOrigin) }
      .map(\.key)
    let help = sink.isSuggesting ? Spelling.help(for: name.value, among: others) : nil
    let list = others.prefix(10).quoted
    sink.error(
      "there is no track '\(name.value)' beside '\(track.name)'", at: name.origin,
      help: help
        ?? (list.isEmpty ? "name a track of the same 'tracks'" : "the other tracks are \(list)"))
  }

  private func refuse(_ circle: [Located<String>]) {
    guard let first = circle.first, let name = circle.last?.value else { return }
    guard circle.count > 1 else {
      return sink.error(
        "'\(name)' would be lower while it sounds itself", at: first.origin,
        help: "name another track; 'gain' lowers all of it")
    }
    let names = circle.map { "'\($0.value)'" }.joined(separator: " under ")
    sink.error(
      "these tracks duck in a circle: '\(name)' under \(names)", at: first.origin,
      help: "leave one of the ducks out",
      notes: circle.dropFirst().map { .init("and this one", at: $0.origin) })
  }

  /// The names on a way from a track to itself, each one that the track before is ducked under; nil
  /// without one. O(names).
  private static func circle(
    among tracks: [String], _ under: [String: [Located<String>]]
  ) -> [Located<String>]? {
    var done: Set<String> = []
    for track in tracks where !done.contains(track) {
      var way = [(name: track, next: 0)]
      var places = [track: 0]
      while let (name, next) = way.last {
        let keys = under[name] ?? []
        guard next < keys.count else {
          done.insert(name)
          places[name] = nil
          way.removeLast()
          continue
        }
        way[way.count - 1].next += 1
        let key = keys[next].value
        if let start = places[key] {
          return way[start...].compactMap { under[$0.name]?[$0.next - 1] }
        }
        guard !done.contains(key) else { continue }
        places[key] = way.count
        way.append((key, 0))
      }
    }
    return nil
  }
}

extension ItemTrack {
  /// This track without ducking under tracks of these names, which do not exist.
  func withoutDucks(under names: Set<String>) -> ItemTrack {
    guard var ducking = sequence.items.first?.ducking else { return self }
    ducking.under.removeAll { names.contains($0.value) }
    var track = self
    track.sequence.items[0].ducking = ducking.under.isEmpty ? nil : ducking
    return track
  }
}
