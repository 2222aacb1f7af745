import Playback

extension Player {
  /// Waits until it has stopped by itself.
  func finish() async {
    for await status in values(of: \.timeControlStatus) where status == .paused {
      if isAtEnd { return }
    }
  }
}
