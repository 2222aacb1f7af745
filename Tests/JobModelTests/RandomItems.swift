import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Transcripts

@testable import JobModel

/// Items at random with transcripts, each with its slow twin.
struct RandomItems {
  var dice: Dice
  /// Of the recordings first, then the same as items with an offset have them, then those of items.
  private(set) var transcripts: [Transcript] = []
  private(set) var assets: [Asset] = []
  /// What stands for muted words.
  let redaction: String?
  private var wordCount = 0
  /// By recording: what an item may say of its transcript, and the number of the transcript that it then
  /// has.
  private var variants: [(written: ItemTranscript, number: Int)] = []

  init(_ seed: UInt64) {
    dice = Dice(seed)
    redaction = seed.isMultiple(of: 2) ? nil : "[name]"
    for index in 0..<3 {
      let length = dice.number(400..<1500)
      transcripts.append(transcript(milliseconds: length))
      assets.append(
        Asset(
          location: .file(FilePath("\(index).wav")), streamIndex: 0, container: "wav",
          codec: "pcm_s16le", sampleRate: 1000, channelLayout: .mono, frameCount: length,
          identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1)))
    }
    for index in assets.indices { addVariant(of: index) }
  }

  /// A transcript with an offset that leaves all of it within its recording, and with a speaker.
  private mutating func addVariant(of index: Int) {
    let said = transcripts[index].cues.flatMap { [$0.range] + $0.words.compactMap(\.range) }
    let earliest = said.map { $0.start.frames(atRate: 1000) }.min() ?? 0
    let latest = said.map { $0.end.frames(atRate: 1000) }.max() ?? 0
    let offset = dice.number(-earliest..<max(assets[index].frameCount - latest, 0) + 1)
    let written = ItemTranscript(
      .read(transcripts[index]), speaker: offset == 0 ? nil : "Carol", offset: Self.time(offset))
    variants.append((written, offset == 0 ? index : transcripts.count))
    guard offset != 0 else { return }
    transcripts.append(
      Transcript(
        transcripts[index].cues.map { cue in
          var moved = cue.moved(by: Self.time(offset))
          moved.speaker = cue.speaker ?? "Carol"
          return moved
        }))
  }

  private mutating func chance(_ one: Int64, in many: Int64) -> Bool { dice.number(0..<many) < one }

  private static func time(_ milliseconds: Int64) -> Time {
    Time(value: milliseconds, timescale: 1000)
  }

  private static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  private static func moment(_ milliseconds: Int64) -> Located<Moment> {
    Located(Moment(.start, .time(time(milliseconds))))
  }

  private static func itemRange(_ start: Int64, _ end: Int64) -> ItemRange {
    ItemRange(from: moment(start), end: .moment(moment(end)))
  }

  private static func fade(_ milliseconds: Int64) -> Located<Fade> {
    Located(Fade(.time(time(milliseconds))))
  }

  /// Cues with or without words, some of which overlap or touch; every word is another.
  private mutating func transcript(milliseconds: Int64) -> Transcript {
    var cues: [Cue] = []
    var start = dice.number(0..<60)
    while start < milliseconds - 40 {
      let end = min(milliseconds, start + dice.number(40..<400))
      let speaker = chance(1, in: 3) ? ["Ann", "Ben"][Int(dice.number(0..<2))] : nil
      cues.append(cue(start, end, speaker, within: milliseconds))
      start = chance(1, in: 3) ? end : start + dice.number(30..<500)
    }
    return Transcript(cues)
  }

  private mutating func cue(
    _ start: Int64, _ end: Int64, _ speaker: String?, within length: Int64
  ) -> Cue {
    var words: [Word] = []
    var time = start
    while time + 20 <= end, words.count < 6 {
      let last = min(end, time + dice.number(20..<150))
      wordCount += 1
      let isTimed = words.isEmpty || !chance(1, in: 8)
      words.append(Word("w\(wordCount),", in: isTimed ? Self.range(time, last) : nil))
      time = last + (chance(1, in: 2) ? 0 : dice.number(0..<40))
    }
    if !words.isEmpty, chance(1, in: 4) { displace(&words, within: length) }
    // Some texts say more than their words.
    let text = words.map(\.text).joined(separator: " ") + (chance(1, in: 8) ? " and more" : "")
    var cue = Cue(
      text, in: Self.range(start, end), speaker: speaker, words: chance(1, in: 3) ? [] : words)
    if chance(1, in: 2) { cue.identifier = "cue \(wordCount)" }
    if chance(1, in: 2) { cue.markup = "<i>\(text)</i>" }
    return cue
  }

  /// Gives a word a time outside of its cue or before the word in front of it, or no length.
  private mutating func displace(_ words: inout [Word], within length: Int64) {
    let index = Int(dice.number(0..<Int64(words.count)))
    guard let range = words[index].range else { return }
    var (start, end) = (range.start.frames(atRate: 1000), range.end.frames(atRate: 1000))
    if chance(1, in: 4) {
      end = start
    } else {
      let shift = min(max(dice.number(-300..<300), -start), length - end)
      (start, end) = (start + shift, end + shift)
    }
    words[index].range = Self.range(start, end)
  }

  /// An item, and what it sounds like.
  mutating func item(depth: Int) -> (item: Item, sound: SlowSound) {
    var (item, sound) = content(depth: depth)
    if depth > 1, chance(1, in: 6), sound.milliseconds > 1001, sound.milliseconds < 3000 {
      playOddly(&item, &sound)
      return (item, sound)
    }
    if chance(1, in: 3), sound.milliseconds > 60 {
      let start = dice.number(0..<sound.milliseconds / 2)
      let end = dice.number(start + 30..<sound.milliseconds + 1)
      item.range = Self.itemRange(start, end)
      sound.keep(start, end)
    }
    if chance(1, in: 8), !item.isSilence { say(&item, &sound, clock: .item) }
    if chance(1, in: 5), sound.milliseconds > 40 { mute(&item, &sound) }
    if chance(1, in: 3) { edit(&item, &sound, depth: depth) }
    if chance(1, in: 12) {
      item.isReversed = true
      sound.reverse()
    }
    if depth > 1, chance(1, in: 3) { speed(&item, &sound) }
    if chance(1, in: 8), sound.milliseconds < 1500 {
      let rounds = Int(dice.number(2..<4))
      item.loop = Located(.count(rounds))
      sound.loop(rounds)
    }
    if chance(1, in: 12), !item.isSilence {
      item.isMuted = true
      sound.sayNothing()
    }
    if chance(1, in: 5) { item.fadeIn = Self.fade(10) }
    return (item, sound)
  }

  private mutating func content(depth: Int) -> (Item, SlowSound) {
    switch dice.number(0..<(depth > 0 ? 10 : 4)) {
    case 0:
      let length = dice.number(10..<300)
      return (Item(.silence(Located(.time(Self.time(length))))), SlowSound(silent: length))
    case 1..<6:
      let index = Int(dice.number(0..<Int64(assets.count)))
      var clip = Item.clip(assets[index].location)
      let plain = (written: ItemTranscript(.read(transcripts[index])), number: index)
      let (written, number) = chance(1, in: 3) ? variants[index] : plain
      clip.transcript = Located(written)
      return (clip, SlowSound(number, milliseconds: assets[index].frameCount))
    case 6..<8:
      let (sequence, sound) = sequence(depth: depth - 1)
      return group(.concat(sequence), sound)
    default:
      var tracks: [ItemTrack] = []
      var sounds: [(name: String, sound: SlowSound)] = []
      for name in ["Left", "Right"].prefix(Int(dice.number(1..<3))) {
        let (sequence, sound) = sequence(depth: depth - 1)
        tracks.append(ItemTrack(name: name, sequence))
        sounds.append((name, sound))
      }
      return group(.tracks(tracks), SlowSound(sounds))
    }
  }

  /// A group, sometimes with a transcript of its own.
  private mutating func group(_ content: Item.Content, _ sound: SlowSound) -> (Item, SlowSound) {
    var (item, sound) = (Item(content), sound)
    if chance(1, in: 6) { say(&item, &sound, clock: .source) }
    return (item, sound)
  }

  /// Gives an item words of its own.
  private mutating func say(_ item: inout Item, _ sound: inout SlowSound, clock: Clock) {
    transcripts.append(transcript(milliseconds: sound.milliseconds))
    item.transcript = Located(
      ItemTranscript(.read(transcripts[transcripts.count - 1]), clock: clock))
    sound.say(transcripts.count - 1)
  }

  private mutating func sequence(depth: Int) -> (ItemSequence, SlowSound) {
    var (first, sound) = item(depth: depth)
    var start: Int64 = 0
    if chance(1, in: 6) {
      start = dice.number(1..<200)
      first.at = Self.moment(start)
      sound = SlowSound(silent: start).followed(by: sound)
    }
    var items = [first]
    var length = sound.milliseconds - start
    var hasFade = false
    for _ in 0..<dice.number(0..<3) {
      var (next, other) = item(depth: depth)
      // A cross-fade is no longer than half of an item, and each end may have one.
      let longest = min(length, other.milliseconds) / 2
      hasFade = longest >= 20 && chance(1, in: 2)
      if hasFade {
        let fade = dice.number(5..<longest / 2) * 2
        next.crossfade = Self.fade(fade)
        sound = sound.followed(by: other, crossfade: fade)
      } else if chance(1, in: 4) {
        let gap = dice.number(10..<200)
        next.at = Self.moment(sound.milliseconds + gap)
        sound = sound.followed(by: other, after: gap)
      } else {
        sound = sound.followed(by: other)
      }
      items.append(next)
      length = other.milliseconds
    }
    return (ItemSequence(items), sound)
  }

  private mutating func mute(_ item: inout Item, _ sound: inout SlowSound) {
    let start = dice.number(0..<sound.milliseconds - 20)
    let end = min(sound.milliseconds, start + dice.number(15..<400))
    item.mutes = [Located(Self.itemRange(start, end))]
    item.redaction = redaction
    sound.mute(start, end)
  }

  /// Cuts with room for their cross-fades, and insertions outside of them.
  private mutating func edit(_ item: inout Item, _ sound: inout SlowSound, depth: Int) {
    var cuts: [(start: Int64, end: Int64)] = []
    var insertions: [(at: Int64, sound: SlowSound)] = []
    var time: Int64 = 0
    while cuts.count + insertions.count < 4 {
      let at = time + dice.number(30..<300)
      guard at + 60 < sound.milliseconds else { break }
      if chance(2, in: 3) {
        let end = min(at + dice.number(25..<250), sound.milliseconds - 30)
        cuts.append((at, end))
        item.cuts.append(Located(Self.itemRange(at, end)))
        time = end
      } else {
        var (inserted, other) = self.item(depth: min(depth - 1, 1))
        inserted.at = Self.moment(at)
        other.keepApart(&transcripts)
        insertions.append((at, other))
        item.insertions.append(inserted)
        time = at
      }
    }
    if !cuts.isEmpty, chance(1, in: 2) { item.cutCrossfade = Self.fade(dice.number(1..<12) * 2) }
    if !cuts.isEmpty || !insertions.isEmpty { sound.edit(cuts: cuts, insertions: insertions) }
  }

  /// A speed that leaves whole milliseconds.
  private mutating func speed(_ item: inout Item, _ sound: inout SlowSound) {
    let speeds = [(2, 1), (1, 2), (4, 5), (5, 4), (3, 2), (2, 3)].filter { n, d in
      (sound.milliseconds * Int64(d)).isMultiple(of: Int64(n)) && sound.milliseconds < 3000
    }
    guard !speeds.isEmpty else { return }
    let (n, d) = speeds[Int(dice.number(0..<Int64(speeds.count)))]
    item.speed = Speed(Int64(n), over: Int64(d)).map { Located($0) }
    sound.play(n, d)
  }

  /// A range of whole seconds, or of so many times 1,001 ms, at a speed that makes it the other.
  private mutating func playOddly(_ item: inout Item, _ sound: inout SlowSound) {
    let isFaster = chance(1, in: 2)
    let length = (isFaster ? 1001 : 1000) * (sound.milliseconds / 1001)
    let start = dice.number(0..<sound.milliseconds - length + 1)
    item.range = Self.itemRange(start, start + length)
    sound.keep(start, start + length)
    let (n, d) = isFaster ? (1001, 1000) : (1000, 1001)
    item.speed = Speed(Int64(n), over: Int64(d)).map { Located($0) }
    sound.play(n, d)
  }
}

extension Item {
  fileprivate var isSilence: Bool {
    if case .silence = content { true } else { false }
  }
}
