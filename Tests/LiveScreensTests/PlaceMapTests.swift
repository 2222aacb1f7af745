import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import LiveScreens

@Suite struct PlaceMapTests {
  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: seconds(start), end: seconds(end))
  }

  private func asset(_ name: String) -> Asset {
    Asset(
      location: .file(FilePath(name)), streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: 10, channelLayout: .stereo, frameCount: 10_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }

  private struct Item {
    var name: String
    var source: TimeRange
  }

  private func item(_ name: String, _ start: Int64, _ end: Int64) -> Item {
    Item(name: name, source: range(start, end))
  }

  /// Items one after the other.
  private func track(_ items: [Item], name: String? = nil) -> Track {
    var start = Time.zero
    return Track(
      name: name,
      segments: items.map { item in
        defer { start = start + item.source.duration }
        return Segment(.asset(asset(item.name)), source: item.source, at: start)
      })
  }

  private func export(_ tracks: Track..., within part: TimeRange? = nil) -> Export {
    var export = Export(
      name: "job", composition: Composition(tracks: tracks),
      outputs: [Output(path: "out.wav", format: .wav(.float32))])
    export.timeRange = part
    return export
  }

  private func map(_ old: [Item], _ new: [Item]) -> PlaceMap {
    PlaceMap(from: export(track(old)), to: export(track(new)))
  }

  @Test("a place moves with its item when another is inserted or removed before it")
  func moved() {
    let (a, b, c) = (item("a", 0, 10), item("b", 5, 25), item("c", 0, 10))
    #expect(map([a, b], [c, a, b]).time(of: seconds(15)) == seconds(25))
    #expect(map([c, a, b], [a, b]).time(of: seconds(25)) == seconds(15))
    #expect(map([a, b], [b, a]).time(of: seconds(12)) == seconds(2))
    #expect(map([a, b], [item("b", 6, 25), a]).time(of: seconds(12)) == seconds(1))
  }

  @Test("in an item that is trimmed the moment of the source stays, or the nearest one")
  func trimmed() {
    let (a, b) = (item("a", 0, 10), item("b", 5, 25))
    #expect(map([a, b], [a, item("b", 8, 25)]).time(of: seconds(15)) == seconds(12))
    #expect(map([a, b], [a, item("b", 12, 25)]).time(of: seconds(15)) == seconds(10))
    #expect(map([a, b, a], [a, item("b", 5, 8), a]).time(of: seconds(15)) == seconds(13))
  }

  @Test("an item that is gone gives the start of the item that followed it, or the end")
  func gone() {
    let (a, b, c) = (item("a", 0, 10), item("b", 5, 25), item("c", 0, 10))
    #expect(map([a, b, c], [a, c]).time(of: seconds(15)) == seconds(10))
    #expect(map([a, b, c], [b, c]).time(of: seconds(5)) == .zero)
    #expect(map([a, b], [a]).time(of: seconds(15)) == seconds(10))
  }

  @Test("where nothing is left, the seconds stay, up to the end")
  func another() {
    let map = map([item("a", 0, 30)], [item("b", 5, 25)])
    #expect(map.time(of: seconds(12)) == seconds(12))
    #expect(map.time(of: seconds(29)) == seconds(20))
  }

  @Test("among tracks the segment that began last decides, and tracks are matched by name")
  func tracks() {
    let music = track([item("m", 0, 100)], name: "music")
    let (a, b, c) = (item("a", 0, 10), item("b", 0, 20), item("c", 0, 7))
    let old = export(music, track([a, b], name: "voice"))
    let new = export(track([c, a, b], name: "voice"), music)
    #expect(PlaceMap(from: old, to: new).time(of: seconds(12)) == seconds(19))
    #expect(PlaceMap(from: old, to: new).time(of: seconds(50)) == seconds(50))
  }

  @Test("a place in silence keeps its distance from the segment before")
  func silence() {
    func talk(_ starts: Int64...) -> Export {
      let names = ["a", "b", "c"]
      return export(
        Track(
          segments: zip(names, starts).map {
            Segment(.asset(asset($0)), source: range(0, 10), at: seconds($1))
          }))
    }
    let map = PlaceMap(from: talk(0, 20, 40), to: talk(0, 30, 50))
    #expect(map.time(of: seconds(13)) == seconds(13))
    #expect(map.time(of: seconds(33)) == seconds(43))
    #expect(PlaceMap(from: talk(0, 20), to: talk(0, 12)).time(of: seconds(18)) == seconds(12))
  }

  @Test("parts of a job count from their own starts, and nested compositions keep their places")
  func parts() {
    let (a, b, c) = (item("a", 0, 10), item("b", 0, 20), item("c", 0, 5))
    let old = export(track([a, b]), within: range(8, 30))
    let new = export(track([c, a, b]), within: range(10, 35))
    #expect(PlaceMap(from: old, to: new).time(of: seconds(4)) == seconds(7))
    func nested(_ items: [Item]) -> Export {
      let inner = Composition(tracks: [track(items)])
      return export(
        Track(segments: [
          Segment(
            .composition(inner), source: TimeRange(start: .zero, duration: inner.duration),
            at: seconds(3))
        ]))
    }
    let map = PlaceMap(from: nested([a, b]), to: nested([c, a, b]))
    #expect(map.time(of: seconds(14)) == seconds(19))
  }

  @Test("after random edits a place is the same moment of the same source wherever that is left")
  func random() throws {
    for seed in 0..<2000 as Range<UInt64> {
      var dice = Dice(seed)
      let old = (0..<Int(dice.number(1..<12))).map { _ -> Item in
        let start = dice.number(0..<50)
        return item(
          "abcdefgh".map(String.init)[Int(dice.number(0..<8))], start, start + dice.number(1..<20))
      }
      var new = old
      for _ in 0..<dice.number(1..<4) {
        let index = Int(dice.number(0..<Int64(new.count + 1)))
        if index == new.count || dice.number(0..<3) == 0 {
          new.insert(item("z\(dice.number(0..<1000))", 0, dice.number(1..<9)), at: index)
        } else {
          new.remove(at: index)
        }
      }
      let (before, after) = (export(track(old)), export(track(new)))
      let time = Time(value: dice.number(0..<before.duration.frames(atRate: 10)), timescale: 10)
      let place = PlaceMap(from: before, to: after).time(of: time)
      let heard = try #require(sound(at: time, before))
      let index = try #require(
        track(old).segments.firstIndex { $0.target.contains(time) })
      // Removed for certain where its equals are fewer now.
      let isKept = new.contains { $0.name == old[index].name && $0.source == old[index].source }
      if isKept { #expect(sound(at: place, after) == heard, "seed \(seed)") }
      #expect(place >= .zero && place <= after.duration)
    }
  }

  @Test("trims of the item that is heard keep the moment if it is left")
  func randomTrims() throws {
    for seed in 0..<2000 as Range<UInt64> {
      var dice = Dice(seed)
      let old = (0..<6).map { item("\($0)", 10, 10 + dice.number(4..<20)) }
      var new = old
      for index in new.indices where dice.number(0..<2) == 0 {
        let source = new[index].source
        let length = source.duration.frames(atRate: 1)
        let cut = dice.number(0..<length)
        let start = source.start + seconds(cut)
        new[index].source = TimeRange(
          start: start, end: start + seconds(dice.number(1..<length - cut + 3)))
      }
      let (before, after) = (export(track(old)), export(track(new)))
      let time = Time(value: dice.number(0..<before.duration.frames(atRate: 10)), timescale: 10)
      let (name, moment) = try #require(sound(at: time, before))
      let place = PlaceMap(from: before, to: after).time(of: time)
      let index = try #require(new.firstIndex { $0.name == name })
      let segment = track(new).segments[index]
      let nearest = max(segment.source.start, min(moment, segment.source.end))
      #expect(place == segment.target.start + (nearest - segment.source.start), "seed \(seed)")
    }
  }

  /// What sounds at a time: the file, and the moment of it.
  private func sound(at time: Time, _ export: Export) -> (name: String, moment: Time)? {
    for segment in export.composition.tracks[0].segments where segment.target.contains(time) {
      guard case .asset(let asset) = segment.content else { continue }
      return segment.sourceTime(at: time).map { (asset.location.lastName ?? "", $0) }
    }
    return nil
  }
}

private func == (a: (name: String, moment: Time)?, b: (name: String, moment: Time)) -> Bool {
  a.map { $0.name == b.name && $0.moment == b.moment } ?? false
}
