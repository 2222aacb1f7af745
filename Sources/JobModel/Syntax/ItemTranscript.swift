import MediaTime
import Transcripts

/// The words of an item.
package struct ItemTranscript: Sendable, Hashable {
  /// Where words come from.
  package enum Source: Sendable, Hashable {
    /// A transcript beside the media.
    case read(Transcript)
    /// The text tracks of the clips' own files: of the item, if it is a clip, or else of all clips in it
    /// that have no transcript of their own.
    case keep
  }

  /// Where they come from.
  package var source: Source
  /// What their times count in: the content of the item, whatever its range is, or the item after its
  /// range.
  package var clock: Clock
  /// Who says what has no speaker; nil: whom the track is named after.
  package var speaker: String?
  /// Whether texts of files that are kept begin with the speaker's name and a colon, as captions do that
  /// have no other place for names.
  package var hasPrefixes = false
  /// Added to all their times.
  package var offset: Time
  /// Whether messages may quote them: not of a file outside of the job's folder, or of a server.
  package var isQuoted = true

  /// The words of `source`.
  package init(
    _ source: Source, clock: Clock = .source, speaker: String? = nil, offset: Time = .zero
  ) {
    self.source = source
    self.clock = clock
    self.speaker = speaker
    self.offset = offset
  }
}

extension Item {
  /// Whether messages may quote the words of the item and of those below it.
  package var quotesWords: Bool {
    var quotes = true
    Self.forEach(of: [self]) { items, index in
      quotes = quotes && items[index].transcript?.value.isQuoted ?? true
    }
    return quotes
  }

  /// Whether the item, or one below it, has words.
  package var hasTranscripts: Bool {
    var found = false
    Self.forEach(of: [self]) { items, index in found = found || items[index].transcript != nil }
    return found
  }

  /// Whether something of the item, or of one below it, is muted.
  package var hasMutes: Bool {
    var found = false
    Self.forEach(of: [self]) { items, index in
      found =
        found || items[index].isMuted || !items[index].mutes.isEmpty
        || items[index].mutedWords != nil
    }
    return found
  }
}
