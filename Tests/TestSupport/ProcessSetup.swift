import Synchronization

/// Settings of the process that its tests share, such as those of the network. Each is made once.
public enum ProcessSetup {
  private static let made = Mutex<[String: TestFolder]>([:])

  /// Runs `body` for the first test that asks for this set-up; its folder stays to the end.
  ///
  /// - Throws: What `body` throws; the next test then tries again.
  public static func once(
    _ name: String, _ body: (TestFolder) throws -> Void
  ) throws -> TestFolder {
    try made.withLock { made in
      if let folder = made[name] { return folder }
      let folder = TestFolder()
      try body(folder)
      made[name] = folder
      return folder
    }
  }
}
