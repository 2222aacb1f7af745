import Testing
import Threads

@Suite("FNV-1a")
struct FNVTests {
  @Test("the sums are those of the algorithm's authors")
  func published() {
    #expect("".utf8.fnv1a() == 0xCBF2_9CE4_8422_2325)
    #expect("a".utf8.fnv1a() == 0xAF63_DC4C_8601_EC8C)
    #expect("foobar".utf8.fnv1a() == 0x8594_4171_F739_67E8)
  }

  @Test("a sum continues over bytes that come later")
  func continuing() {
    #expect("bar".utf8.fnv1a(continuing: "foo".utf8.fnv1a()) == "foobar".utf8.fnv1a())
  }
}
