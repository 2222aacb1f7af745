import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import Testing
import Transcripts

@testable import ExportGraph

/// Words of sources that an output may not have beside its own.
@Suite("Texts that are withheld") struct WithheldTextTests {
  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  private var metadata: Metadata {
    var metadata = Metadata()
    metadata["lyrics-eng"] = "Jane sings"
    metadata["title"] = "Song"
    return metadata
  }

  private let location = MediaLocation.file("talk.mp4")

  /// A film of ten seconds with texts in its streams 2 and 3.
  private var film: Asset {
    var asset = Asset(
      location: location, streamIndex: 1, container: MovieContainer.mp4.demuxer, codec: "aac",
      sampleRate: 48_000, channelLayout: .stereo, frameCount: 480_000, metadata: metadata,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    asset.tracks = [
      AssetTrack(index: 0, mediaType: .video, codec: "h264"),
      AssetTrack(index: 1, mediaType: .audio, codec: "aac"),
      AssetTrack(index: 2, mediaType: .subtitle, codec: "mov_text", language: "eng"),
      AssetTrack(index: 3, mediaType: .subtitle, codec: "mov_text", language: "fre"),
    ]
    return asset
  }

  private func export(
    _ path: FilePath, _ places: TranscriptPlaces = TranscriptPlaces(), from start: Int64 = 0
  ) -> Export {
    var output = Output(path: path, format: .m4a(bitRate: 128_000))
    output.transcript = places
    let range = TimeRange(start: seconds(start), end: seconds(10))
    var export = Export(
      name: "talk",
      composition: Composition(tracks: [
        Track(segments: [Segment(.asset(film), source: range, at: .zero)])
      ]), metadata: metadata, outputs: [output])
    export.inheritedTags = ["lyrics-eng", "title"]
    export.transcript = Transcript([
      Cue("Hello", in: TimeRange(start: .zero, duration: seconds(1)))
    ])
    return export
  }

  private func subtitles(_ export: Export) throws -> [Int?] {
    let picture = try #require(try Graph(compiling: export).sinks[0].picture)
    let streams = picture.tracks.filter { $0.mediaType == .subtitle }.map(\.index)
    if !picture.spans.isEmpty {
      #expect(picture.texts.compactMap { $0.first?.index } == streams)
    }
    return streams
  }

  @Test(
    "captions stand instead of the track that they are made from, in a picture that is copied or cut",
    arguments: [0, 1] as [Int64])
  func kept(start: Int64) throws {
    var export = export("b.mp4", TranscriptPlaces(inFile: true), from: start)
    #expect(try subtitles(export) == [2, 3])
    export.keptTexts = [KeptText(location, streamIndex: 2)]
    #expect(try subtitles(export) == [3])
    export.outputs[0].transcript = TranscriptPlaces()
    #expect(try subtitles(export) == [2, 3])
  }

  @Test(
    "where words of a source are muted, none of its texts is shown, and a note names the others",
    arguments: [0, 1] as [Int64])
  func redacted(start: Int64) throws {
    var export = export("b.mp4", TranscriptPlaces(inFile: true), from: start)
    export.keptTexts = [KeptText(location, streamIndex: 2)]
    export.redactedSources = [location]
    #expect(try subtitles(export) == [])
    let picture = try #require(try Graph(compiling: export).sinks[0].picture)
    #expect(
      picture.redactionNote(in: export.outputs[0], of: export)?.message
        == "'b.mp4': subtitles of stream 3 (mov_text) of 'talk.mp4' left out, since they have words "
        + "that are muted")
  }

  @Test("only the texts that became words of an output are not missed")
  func unread() {
    var export = export("b.m4a", TranscriptPlaces(sidecars: [.vtt]))
    let (english, french) = (
      "subtitles of stream 2 (mov_text)", "subtitles of stream 3 (mov_text)"
    )
    #expect(export.unread?.parts == [english, french])
    export.keptTexts = [KeptText(location, streamIndex: 2)]
    #expect(export.unread?.parts == [french])
    export.outputs[0].transcript = TranscriptPlaces()
    #expect(export.unread?.parts == [english, french])
  }

  @Test("lyrics of a source are stale where the output has its own, or words are muted")
  func lyrics() throws {
    var export = export("b.mp3")
    export.outputs[0] = Output(path: "b.mp3", format: .mp3(MP3Preset.voice.settings))
    func lyrics() throws -> (tag: String?, stale: [StaleTags]) {
      let sink = try Graph(compiling: export).sinks[0]
      #expect(sink.metadata["title"] == "Song")
      return (sink.metadata["lyrics-eng"], sink.staleTags)
    }
    #expect(try lyrics().tag == "Jane sings")
    export.outputs[0].transcript = TranscriptPlaces(lyrics: true)
    #expect(try lyrics().tag == nil)
    #expect(
      try lyrics().stale == [
        StaleTags(names: ["lyrics-eng"], reason: "its lyrics are the words of the job")
      ])
    export.outputs[0].metadata["lyrics-eng"] = "The job's"
    #expect(try lyrics().tag == "The job's")
    export.outputs[0].transcript = TranscriptPlaces()
    export.outputs[0].metadata = Metadata()
    export.redactedSources = [location]
    #expect(
      try lyrics().stale == [
        StaleTags(names: ["lyrics-eng"], reason: "words of the source are muted")
      ])
  }

  @Test("lyrics are left out by whatever name a program has given them")
  func foreignLyrics() throws {
    var export = export("b.flac")
    export.outputs[0] = Output(path: "b.flac", format: .flac(bitDepth: 16))
    let names = ["USLT", "UNSYNCED LYRICS", "SYLT", "SYNCED LYRICS", "lyrics:Live"]
    for name in names { export.metadata[name] = "Jane sings" }
    export.metadata["lyricist"] = "Ann"
    export.inheritedTags += names.map { $0.lowercased() } + ["lyricist"]
    export.redactedSources = [location]
    let sink = try Graph(compiling: export).sinks[0]
    #expect(Set(sink.metadata.items.map(\.key)) == ["title", "lyricist"])
    #expect(Set(sink.staleTags.flatMap(\.names)) == Set(names + ["lyrics-eng"]))
  }

  @Test(
    "of a source that is muted without a transcript, a note names the texts that may have its words",
    arguments: [0, 1] as [Int64])
  func silenced(start: Int64) throws {
    var export = export("b.mp4", from: start)
    func note() throws -> Diagnostic? {
      try Graph(compiling: export).sinks[0].unmutedWordsNote(of: export)
    }
    #expect(try note() == nil)
    export.silencedSources = [.file("other.mp4")]
    #expect(try note() == nil)
    export.silencedSources = [location]
    #expect(
      try note()?.message
        == "'b.mp4': subtitles of stream 2 (mov_text), subtitles of stream 3 (mov_text), lyrics-eng of "
        + "'talk.mp4' may have words that are muted, and stay")
    #expect(
      try note()?.help
        == "give the clip its words, as 'transcript: keep': texts with muted ones are then left out"
    )
    export.outputs[0] = Output(path: "b.mp3", format: .mp3(MP3Preset.voice.settings))
    #expect(
      try note()?.message
        == "'b.mp3': lyrics-eng of 'talk.mp4' may have words that are muted, and stay")
    #expect(
      try note()?.help
        == "remove them by 'metadata: { lyrics-eng: \"\" }', or give the clip a 'transcript'")
    // The job's own are its business.
    export.outputs[0].metadata["lyrics-eng"] = "The job's"
    #expect(try note() == nil)
  }
}
