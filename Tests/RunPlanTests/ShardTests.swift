import TestSupport
import Testing

@testable import RunPlan

@Suite("Shards")
struct ShardTests {
  @Test(
    "A shard that there cannot be is refused, with what to write",
    arguments: [
      ("0/3", "shards count from 1/3 to 3/3"), ("4/3", "shards count from 1/3 to 3/3"),
      ("1/0", "there are 1 to 10000 shards, as 1/4"),
      ("1/10001", "there are 1 to 10000 shards, as 1/4"),
      ("x", "write the shard and how many there are, as 1/4"),
      ("1/2/3", "write the shard and how many there are, as 1/4"),
      ("-1/2", "write the shard and how many there are, as 1/4"),
      ("/", "write the shard and how many there are, as 1/4"),
      ("", "write the shard and how many there are, as 1/4"),
      ("1/99999999999999999999", "write the shard and how many there are, as 1/4"),
    ])
  func refusals(text: String, message: String) {
    #expect { try Shard(text) } throws: { "\($0)".contains(message) }
  }

  @Test("A shard is its number and how many there are")
  func parsing() throws {
    let shard = try Shard("2/4")
    #expect((shard.number, shard.count) == (2, 4))
  }

  @Test("Every piece of work is in one shard, and none has more than its share and one piece")
  func dealing() {
    var dice = Dice(7)
    for _ in 0..<300 {
      let estimates = (0..<Int(dice.next() % 60)).map { _ in
        Duration.milliseconds(Int(dice.next() % 5000) * Int(dice.next() % 2))
      }
      let count = Int(dice.next() % 9) + 1
      let shards = Shard.deal(estimates, among: count)
      #expect(shards.count == estimates.count && shards.allSatisfy { 1...count ~= $0 })
      #expect(shards == Shard.deal(estimates, among: count))
      let total = estimates.reduce(.zero, +)
      for shard in 1...count {
        let load = zip(estimates, shards).filter { $0.1 == shard }.map(\.0).reduce(.zero, +)
        #expect(load <= total / count + (estimates.max() ?? .zero))
      }
    }
  }

  @Test("Work of no length is dealt out by number")
  func nothing() {
    #expect(
      Shard.deal(Array(repeating: .zero, count: 5), among: 2) == [1, 2, 1, 2, 1])
  }
}
