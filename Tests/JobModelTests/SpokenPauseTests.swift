import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Transcripts

@testable import JobModel

/// Pauses of items with a transcript.
@Suite struct SpokenPauseTests {
  private func time(_ tenths: Int64) -> Time { Time(value: tenths, timescale: 10) }

  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  private func word(_ text: String, _ start: Int64, _ end: Int64) -> Word {
    Word(text, in: range(start, end))
  }

  private final class Asked { var list: [SilenceSearch] = [] }

  /// What is asked about an item of a minute, whose one pause lasts from 20 s to 30 s.
  private func lowered(_ item: Item) throws -> (lowered: LoweredItem, searches: [SilenceSearch]) {
    let location = MediaLocation.file(FilePath("a.wav"))
    let asset = Asset(
      location: location, streamIndex: 0, container: "wav", codec: "pcm_s16le", sampleRate: 48_000,
      channelLayout: .mono, bitDepth: 16, frameCount: 60 * 48_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 0))
    let asked = Asked()
    var lowering = Lowering(
      assets: [MediaReference(location): asset], sampleRate: nil,
      listen: { (search) throws(Failure) in
        asked.list.append(search)
        return SilenceFindings([], pauses: [Pause(2000..<3000, removing: 2020..<2980)])
      })
    let lowered = lowering.lowered(ofJob: item)
    #expect(lowering.diagnostics.isEmpty)
    return (try #require(lowered), asked.list)
  }

  private func item(_ words: [Word]) -> Item {
    var item = Item.clip(.file(FilePath("a.wav")))
    let cue = Cue(words.map(\.text).joined(separator: " "), in: range(0, 600), words: words)
    item.transcript = Located(ItemTranscript(.read(Transcript([cue]))))
    item.pauses = Located(
      Pauses(
        longerThan: Located(.time(time(10))), to: Located(.time(time(4))),
        below: Gain(decibels: -45)))
    return item
  }

  @Test("Words are kept, in the time of the item after its cuts, and the sound has none")
  func words() throws {
    var item = item([
      word("a", 10, 12), word("b", 12, 15), word("of", 13, 14), word("cut", 52, 53),
      word("c", 110, 115), Word("nowhere"), word("moment", 150, 150),
    ])
    let (from, to) = (try Moment(parsing: "5s"), try Moment(parsing: "10s"))
    item.cuts = [Located(ItemRange(from: Located(from), end: .moment(Located(to))))]
    let (_, searches) = try lowered(item)
    #expect(searches.count == 1)
    #expect(
      searches.first?.shortening
        == PauseShortening(to: time(4), keeping: [range(10, 15), range(60, 65), range(100, 100)]))
    #expect(searches.first?.composition.transcript == Transcript())
  }

  @Test("Words move with what is removed")
  func moved() throws {
    let (lowered, _) = try lowered(item([word("a", 10, 12), word("b", 310, 315)]))
    let composition = Composition(tracks: [Track(segments: [lowered.segment(at: .zero)])])
    #expect(composition.duration == time(504))
    let words = composition.transcript.cues.flatMap(\.words)
    #expect(words.compactMap(\.range) == [range(10, 12), range(214, 219)])
  }
}
