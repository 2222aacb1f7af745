import MediaTime
import Playback
import Transcripts

/// Commands that go by what is said.
extension PreviewControls {
  /// While it plays, a place is passed as soon as it is reached: so much behind it, the one before is
  /// meant.
  private static let grace = Time(value: 1, timescale: 1)
  /// What was found is still meant for so long after it was said.
  private static let memory = Time(value: 2, timescale: 1)

  mutating func perform(_ command: PlayerCommand.WordsCommand) {
    switch command {
    case .find(let phrase):
      wanted = WantedWords(phrase: phrase)
      find(isForward: true)
    case .findAgain(let step): find(isForward: step > 0)
    case .cue(let step): goToCue(by: step)
    case .markFound: markFound()
    }
  }

  /// Where a search begins, or a step by cues.
  private func origin(isForward: Bool) -> Time {
    isForward || !isPlaying ? player.currentTime : player.currentTime - Self.grace
  }

  private mutating func words(of item: PlayerItem) -> PreviewWords? {
    let item = mix(of: item)
    if let knownWords, knownWords.item === item { return knownWords.words }
    guard !item.transcript.cues.isEmpty else {
      reportNoWords(of: item)
      return nil
    }
    let words = PreviewWords(item.transcript)
    knownWords = (item, words)
    return words
  }

  private mutating func reportNoWords(of item: PlayerItem) {
    message = "'\(item.name)' has no words: 'transcript' in its job names a file of them"
  }

  private mutating func find(isForward: Bool) {
    guard let item = player.currentItem, let words = words(of: item) else { return }
    guard let wanted else {
      message = "no words were looked for yet: / asks for some"
      return
    }
    let places = words.places(of: wanted.phrase)
    guard let next = places.next(from: origin(isForward: isForward), isForward: isForward) else {
      message = words.refusal(of: wanted.phrase)
      return
    }
    let range = places.ranges[next.index]
    let heard = mix(of: item)
    self.wanted?.found = (heard, range)
    seek(to: range.start)
    let round = next.isRound ? isForward ? ", from the start" : ", from the end" : ""
    message =
      "'\(wanted.phrase)' at \(range.start.clockText(decimals: 3)), \(next.index + 1) of "
      + "\(places.ranges.count)\(round)"
  }

  /// Goes to the start of the next cue, or of the last one.
  private mutating func goToCue(by step: Int) {
    guard let item = player.currentItem.map({ mix(of: $0) }) else { return }
    let cues = item.transcript.cues
    guard !cues.isEmpty else { return reportNoWords(of: item) }
    let place = origin(isForward: step > 0)
    let index =
      step > 0
      ? cues.partitioningIndex { $0.range.start > place }
      : cues.partitioningIndex { $0.range.start >= place } - 1
    guard cues.indices.contains(index) else {
      message = step > 0 ? "no cue begins after this place" : "no cue begins before this place"
      return
    }
    seek(to: cues[index].range.start)
  }

  /// Marks what was found, if that is said here or was just said, or else the cue.
  private mutating func markFound() {
    guard let item = player.currentItem.map({ mix(of: $0) }) else { return }
    guard !item.transcript.cues.isEmpty else { return reportNoWords(of: item) }
    let time = player.currentTime
    if let wanted, let found = wanted.found, found.item === item,
      found.range.start <= time, time <= found.range.end + Self.memory
    {
      return mark(found.range, named: wanted.phrase.noted)
    }
    guard let cue = item.transcript.cue(at: time) else {
      message = "nothing is said here: w goes to the next cue"
      return
    }
    mark(cue.range, named: cue.text.noted)
  }
}
