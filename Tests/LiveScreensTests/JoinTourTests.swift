import MediaTime
import TestSupport
import Testing

@testable import LiveScreens

@Suite struct JoinTourTests {
  private func tenths(_ value: Int64) -> Time { Time(value: value, timescale: 10) }

  private func join(_ start: Int64, _ length: Int64 = 0) -> TimeRange {
    TimeRange(start: tenths(start), duration: tenths(length))
  }

  @Test("each join is heard from 1.5 s before to 1.5 s behind it, and then the next one")
  func course() throws {
    var tour = try #require(
      JoinTour([join(100), join(200, 10), join(300)], of: tenths(400), from: .zero))
    #expect(tour.start == tenths(85))
    #expect(tour.step(at: tenths(85)) == .wait)
    #expect(tour.step(at: tenths(114)) == .wait)
    #expect(tour.step(at: tenths(115)) == .seek(to: tenths(185)))
    #expect(tour.index == 1)
    // A cross-fade is heard whole.
    #expect(tour.step(at: tenths(224)) == .wait)
    #expect(tour.step(at: tenths(225)) == .seek(to: tenths(285)))
    #expect(tour.step(at: tenths(314)) == .wait)
    #expect(tour.step(at: tenths(315)) == .over)
  }

  @Test("joins that are closer than 3 s are heard in one piece")
  func near() throws {
    var tour = try #require(JoinTour([join(10), join(20), join(60)], of: tenths(70), from: .zero))
    #expect(tour.start == .zero)
    #expect(tour.step(at: tenths(9)) == .wait)
    #expect(tour.index == 0)
    #expect(tour.step(at: tenths(10)) == .wait)
    #expect(tour.index == 1)
    #expect(tour.step(at: tenths(34)) == .wait)
    #expect(tour.step(at: tenths(35)) == .seek(to: tenths(45)))
    // The end of the entry comes before the next entry does.
    #expect(tour.step(at: tenths(68)) == .wait)
    #expect(tour.step(at: tenths(69)) == .over)
  }

  @Test("a tour begins with the join that comes next, and there is none without joins")
  func beginning() {
    let joins = [join(100), join(200)]
    #expect(JoinTour(joins, of: tenths(300), from: tenths(100))?.index == 0)
    #expect(JoinTour(joins, of: tenths(300), from: tenths(101))?.index == 1)
    #expect(JoinTour(joins, of: tenths(300), from: tenths(201))?.index == 0)
    #expect(JoinTour([], of: tenths(300), from: .zero) == nil)
    var tour = JoinTour(joins, of: tenths(300), from: .zero)
    tour?.move(by: -1)
    #expect(tour?.index == 0)
    tour?.move(by: 5)
    #expect(tour?.index == 1)
  }

  @Test("whatever the joins, a tour comes to its end, and jumps forward only")
  func ends() throws {
    var dice = Dice(11)
    for _ in 0..<200 {
      let starts = (0..<dice.number(1..<20)).map { _ in dice.number(1..<600) }
      let joins = Set(starts).sorted().map { join($0, dice.number(0..<10)) }
      var tour = try #require(JoinTour(joins, of: tenths(620), from: .zero))
      var time = tour.start
      var isOver = false
      for _ in 0..<20_000 where !isOver {
        switch tour.step(at: time) {
        case .wait: time = time + Time(value: 4, timescale: 100)
        case .seek(let target):
          #expect(target >= time)
          time = target
        case .over: isOver = true
        }
      }
      #expect(isOver)
      #expect(tour.index == joins.count - 1)
    }
  }
}

@Suite struct PreviewListTests {
  private let list = PreviewList(
    (0..<30).flatMap { entry in
      [
        PreviewList.Row(
          kind: .entry, entry: entry, number: entry + 1, time: .zero, text: "Folge \(entry + 1)"),
        PreviewList.Row(
          kind: .chapter, entry: entry, time: Time(value: 10, timescale: 1), text: "Éloge \(entry)"),
      ]
    }, at: 4, Time(value: 12, timescale: 1))

  @Test("the place that is heard is chosen first, and moves stay within the list")
  func moves() {
    var list = list
    #expect(list.selection == 9)
    list.move(by: 1)
    #expect(list.selected?.entry == 5)
    list.move(by: -100)
    #expect(list.selection == 0)
    list.moveToEnd(true)
    list.move(by: 10)
    #expect(list.selection == 59)
  }

  @Test("a text leaves the rows that have it, and a number chooses the entry of that number")
  func search() {
    var list = list
    list.find("éLOGE 2")
    #expect((0..<list.count).map { list[$0].entry } == [2] + Array(20..<30))
    list.find("éloge 29")
    #expect(list.selected?.entry == 29)
    list.find("nothing")
    #expect(list.count == 0)
    #expect(list.selected == nil)
    list.move(by: 1)
    list.moveToEnd(true)
    #expect(list.selected == nil)
    list.find("12")
    #expect(list.count == 60)
    #expect(list.selected?.entry == 11)
    list.find("")
    #expect(list.selected?.entry == 11)
  }
}
