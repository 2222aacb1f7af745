import MediaTime

/// What is playing, for screens elsewhere (`MPNowPlayingInfoCenter.nowPlayingInfo`): a value with a
/// property for each key of MediaPlayer's dictionary. What is nil is not shown.
///
/// Texts are cut at 4096 code points when they are sent.
public struct NowPlayingInfo: Sendable, Hashable {
  /// The identity of what is playing: another one is another track, whose position is 0 unless it is
  /// said (`MPNowPlayingInfoPropertyExternalContentIdentifier`).
  public var externalContentIdentifier: String
  /// `MPMediaItemPropertyTitle`
  public var title: String?
  /// `MPMediaItemPropertyArtist`
  public var artist: String?
  /// `MPMediaItemPropertyAlbumTitle`
  public var albumTitle: String?
  /// `MPMediaItemPropertyAlbumArtist`
  public var albumArtist: String?
  /// `MPMediaItemPropertyGenre`
  public var genre: String?
  /// `MPMediaItemPropertyComposer`
  public var composer: String?
  /// `MPMediaItemPropertyComments`
  public var comments: String?
  /// A date of ISO 8601, or the start of one, such as a year (`MPMediaItemPropertyReleaseDate`).
  public var releaseDate: String?
  /// From 1 (`MPMediaItemPropertyAlbumTrackNumber`).
  public var albumTrackNumber: Int?
  /// From 1 (`MPMediaItemPropertyDiscNumber`).
  public var discNumber: Int?
  /// The address of the medium, a URI (`MPNowPlayingInfoPropertyAssetURL`).
  public var assetURL: String?
  /// The address of a picture, a URI (`MPMediaItemPropertyArtwork`, which holds the picture).
  public var artworkURL: String?
  /// Nil if it is not known; then nobody can seek (`MPMediaItemPropertyPlaybackDuration`).
  public var playbackDuration: Time?
  /// The name of the chapter that is heard (`MPNowPlayingInfoPropertyChapterNumber` has its number).
  public var chapterTitle: String?
  /// The speed while it plays, more than 0 (`MPNowPlayingInfoPropertyPlaybackRate`, which is 0 in a
  /// pause; here `NowPlayingInfoCenter.playbackState` says so).
  public var playbackRate = 1.0

  /// Information about what has this identity.
  public init(externalContentIdentifier: String, title: String? = nil) {
    (self.externalContentIdentifier, self.title) = (externalContentIdentifier, title)
  }
}

/// One of several things that a listener may go to: an item of a queue, or a chapter of an item.
/// MediaPlayer has no counterpart: `MPNowPlayingInfoPropertyPlaybackQueueIndex` is a number alone.
package struct NowPlayingTrack: Sendable, Hashable, Identifiable {
  /// Its identity, other than that of each other track.
  package var id: String
  /// What is shown.
  package var title: String
  /// The artist.
  package var artist: String?
  /// The title of the whole that it is a part of.
  package var albumTitle: String?
  /// From 1.
  package var albumTrackNumber: Int?
  /// The duration.
  package var playbackDuration: Time?

  /// A track.
  package init(id: String, title: String) { (self.id, self.title) = (id, title) }
}

/// Whether something plays (`MPNowPlayingPlaybackState`).
public enum NowPlayingPlaybackState: Sendable, Hashable {
  /// Nothing has played yet.
  case unknown
  /// It plays, and the position advances.
  case playing
  /// It is paused at its position.
  case paused
  /// It has stopped; playing begins at the start.
  case stopped
  /// It is to play, and is silent until the cause is over: a device that is missing, bytes that are
  /// on their way. The position stands still.
  case interrupted
}
