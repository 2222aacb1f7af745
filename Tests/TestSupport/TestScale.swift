import Glibc

/// How much tests of random jobs try, which the environment may change.
public enum TestScale {
  /// `AVJOB_TEST_ROUNDS`, else `usual`.
  public static func rounds(_ usual: Int) -> Int { number("AVJOB_TEST_ROUNDS") ?? usual }

  /// `AVJOB_TEST_SEED`, else 0: to be added to the seed of a test.
  public static var seed: UInt64 { UInt64(number("AVJOB_TEST_SEED") ?? 0) }

  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
