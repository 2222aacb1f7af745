import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import MediaTime
import Playback
import Synchronization
import SystemPackage
import TestNetwork
import TestSupport
import Testing

/// AVAudioPlayer's and AVPlayer's samples, in their own shapes.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct PlayerPorting {
  private static let path = FilePath(Fixture.path("voice-8k.wav"))

  /// The sound that a player's file got.
  private func sound(of file: String) throws -> [UInt8] { Array(try readFile(file).dropFirst(44)) }

  // MARK: AVAudioPlayer

  @Test("AVAudioPlayer: made of a file, prepared, played, and done")
  func playsFile() async throws {
    let folder = TestFolder()
    let file = folder.path("heard.wav")
    // let player = try AVAudioPlayer(contentsOf: url)
    let player = try await Player(
      contentsOf: Self.path, opening: FileSink.opener(FilePath(file), as: .int16))
    // player.delegate = self: audioPlayerDidFinishPlaying(_:successfully:)
    let ended = Mutex(0)
    let observation = player.addEventObserver { event in
      if case .itemEnded = event { ended.withLock { $0 += 1 } }
    }
    try await player.prepareToPlay()
    player.volume = 1
    player.play()
    #expect(player.isPlaying || player.isAtEnd)
    await player.finish()
    #expect(!player.isPlaying)
    try wait(until: "its end is reported") { ended.withLock { $0 } == 1 }
    // player.url
    #expect(player.currentItem?.location == .file(Self.path))
    #expect(player.currentItem?.duration == player.currentTime)
    let whole = try readFile(Fixture.path("voice-8k.wav"))
    #expect(try sound(of: file).suffix(1000) == whole.suffix(1000))
    _ = observation
  }

  @Test("AVAudioPlayer: several players start together at one device time")
  func playsAtTime() async throws {
    let folder = TestFolder()
    let files = [folder.path("1.wav"), folder.path("2.wav")]
    var players: [Player] = []
    for file in files {
      players.append(
        try await Player(contentsOf: Self.path, opening: FileSink.opener(FilePath(file))))
    }
    for player in players { try await player.prepareToPlay() }
    // let time = player.deviceCurrentTime + 0.3
    let time = players[0].deviceCurrentTime + Time(value: 3, timescale: 10)
    for player in players { #expect(player.play(atTime: time)) }
    for player in players { await player.finish() }
    #expect(players[0].deviceCurrentTime >= time)
    #expect(try readFile(files[0]) == readFile(files[1]))
  }

  @Test("AVAudioPlayer: channelAssignments sends a voice to one channel of many")
  func assignsChannels() async throws {
    let folder = TestFolder()
    let file = folder.path("heard.raw")
    let player = try await Player(
      contentsOf: Self.path, opening: FileSink.opener(FilePath(file), as: .int16, container: .raw))
    player.channelAssignments = [2]
    player.play()
    await player.finish()
    let samples = try readFile(file).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    let channels = (0..<3).map { channel in
      stride(from: channel, to: samples.count, by: 3).map { samples[$0] }
    }
    #expect(channels[0].allSatisfy { $0 == 0 } && channels[1].allSatisfy { $0 == 0 })
    let voice = try readFile(Fixture.path("voice-8k.wav")).suffix(2 * channels[2].count)
    #expect(Array(voice).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) } == channels[2])
  }

  // MARK: AVPlayer

  @Test("AVPlayer: status, time control and the current item are observed, and end with the player")
  func observes() async throws {
    let item = try await PlayerItem(contentsOf: Self.path)
    var player: Player? = try Player(item, opening: NullSink.opener())
    // playerItem.publisher(for: \.status)
    var itemStatuses = item.values(of: \.status).makeAsyncIterator()
    #expect(await itemStatuses.next() == .readyToPlay)
    // player.publisher(for: \.timeControlStatus)
    let statuses = try #require(player?.values(of: \.timeControlStatus))
    var reader = statuses.makeAsyncIterator()
    #expect(await reader.next() == .paused)
    player?.play()
    // .playing comes when there is a device.
    var next = await reader.next()
    if next == .waitingToPlayAtSpecifiedRate { next = await reader.next() }
    #expect(next == .playing && player?.device.format != nil)
    player?.pause()
    #expect(await reader.next() == .paused)
    player = nil
    #expect(await reader.next() == nil)
  }

  @Test("AVPlayer: seek(to:completionHandler:) says whether it is finished")
  func seeks() async throws {
    let player = try await Player(contentsOf: Self.path, opening: NullSink.opener())
    let slider = 0.5
    let duration = try #require(player.currentItem?.duration)
    // player.seek(to: time) { finished in … }
    let isFinished = await player.seek(to: duration * slider)
    #expect(isFinished && player.currentTime == duration * slider)
    let answer: Bool = await withCheckedContinuation { continuation in
      player.seek(to: .zero) { continuation.resume(returning: $0) }
    }
    #expect(answer && player.currentTime == .zero)
  }

  @Test("AVPlayer: periodic and boundary observers, at the times that they are given")
  func observesTime() async throws {
    let folder = TestFolder()
    let player = try await Player(
      contentsOf: Self.path, opening: FileSink.opener(FilePath(folder.path("heard.wav"))))
    let crossed = Mutex<[Time]>([])
    let periods = Mutex<[Time]>([])
    let bounds = [Time(value: 1, timescale: 4), Time(value: 1, timescale: 2)]
    let observations = [
      player.addPeriodicTimeObserver(forInterval: Time(value: 1, timescale: 10)) { time in
        periods.withLock { $0.append(time) }
      },
      player.addBoundaryTimeObserver(forTimes: bounds) { time in
        crossed.withLock { $0.append(time) }
      },
    ]
    player.play()
    await player.finish()
    // player.removeTimeObserver(_:)
    for observation in observations { observation.cancel() }
    #expect(crossed.withLock { $0 } == bounds)
    #expect(periods.withLock { $0.first } == .zero)
  }

  @Test(
    "AVPlayer: a sample that does not wait to minimize stalling, and shows what is loaded",
    arguments: [true, false])
  func streams(waits: Bool) async throws {
    try TestNetwork.prepare()
    let server = try FaultServer.ofFixtures()
    let url = try MediaURL("http://127.0.0.1:\(server.port)/plain/voice-8k.wav")
    let item = try await PlayerItem(contentsOf: .remote(url))
    item.preferredForwardBufferDuration = Time(value: 1, timescale: 1)
    let folder = TestFolder()
    let player = try Player(item, opening: FileSink.opener(FilePath(folder.path("heard.wav"))))
    player.automaticallyWaitsToMinimizeStalling = waits
    let loaded = item.values(of: \.loadedTimeRanges)
    player.play()
    // observeValue(forKeyPath: "loadedTimeRanges"): the share that is loaded.
    var share = 0.0
    for await ranges in loaded {
      share = (ranges.last?.end ?? .zero).seconds / item.duration.seconds
      if share == 1 { break }
    }
    #expect(share == 1)
    await player.finish()
    #expect(player.failure == nil && item.status == .readyToPlay)
  }

  @Test("AVPlayer: live streams are refused by name, with what to use")
  func refusesLiveStreams() async throws {
    try TestNetwork.prepare()
    let folder = TestFolder()
    let lists = [
      ("live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n", "HTTP Live Streaming"),
      ("live.mpd", "<?xml version='1.0'?>\n<MPD type='dynamic'></MPD>\n", "MPEG-DASH"),
      ("list.m3u", "#EXTM3U\nsong.mp3\n", "a playlist (M3U)"),
      ("list.pls", "[playlist]\nFile1=song.mp3\n", "a playlist (PLS)"),
    ]
    for (name, text, _) in lists { try writeFile(folder.path(name), Array(text.utf8)) }
    try writeFile(folder.path("radio.mp3"), readFile(Fixture.path("voice-vbr.mp3")))
    let server = try FaultServer(of: folder)
    func refusal(_ path: String) async throws -> String {
      let url = try MediaURL("http://127.0.0.1:\(server.port)/\(path)")
      let failure = await #expect(throws: Failure.self) {
        try await PlayerItem(contentsOf: .remote(url))
      }
      return failure?.message ?? ""
    }
    for (name, _, word) in lists {
      let message = try await refusal("plain/" + name)
      #expect(message.contains(word), "\(name): \(message)")
    }
    let radio = try await refusal("endless+header=icy-name:Radio%20One/radio.mp3")
    #expect(radio.contains("internet radio") && radio.contains("ffmpeg"))
  }
}
