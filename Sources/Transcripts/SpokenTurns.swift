/// What one speaker says in a cue.
struct SpokenTurn {
  var cue: Cue
  /// Whether a dash stood in front.
  var hasDash: Bool
  /// Where its file has its cue; nil: it is not read from one.
  var place: Range<Int>?
}

extension [SpokenTurn] {
  /// Their cues with the speakers whose names stand in front of texts: `Ann: Hello.` is Ann's, and so is
  /// what follows until another name.
  ///
  /// A later line of a text begins a turn if a name stands in front of it that also stands in front of a
  /// text: `Note: this` is text else. `refuse` gets the first turn that makes the cues more than a
  /// transcript may have; no more are made. O(n)
  func named(orRefuse refuse: (SpokenTurn) -> Void) -> [Cue] {
    let names = Set(
      compactMap { $0.cue.speaker ?? $0.cue.text.nameInFront.map { String($0.name) } })
    var last: String?
    var cues: [Cue] = []
    for turn in self {
      // A dash begins a turn: without a name it is of somebody else.
      if turn.hasDash { last = nil }
      for cue in turn.cue.divided(at: names) {
        let cue = cue.withNameInFront(else: last)
        last = cue.speaker
        cues.append(cue)
      }
      if cues.count > CueCollector.cueLimit {
        refuse(turn)
        break
      }
    }
    return cues
  }
}

extension Cue {
  /// What is said in it by one after the other, each at its time: a line that begins with a dash
  /// begins a turn, and the dash is no text of it. Of more turns than a transcript may have cues, so many
  /// that it is refused. O(n)
  func turns(at place: Range<Int>?) -> [SpokenTurn] {
    let whole = SpokenTurn(cue: self, hasDash: false, place: place)
    guard speaker == nil, words.isEmpty else { return [whole] }
    var turns: [(text: String, hasDash: Bool)] = []
    for line in text.split(separator: "\n") {
      if line.beginsTurn {
        // A dash alone may have text on the next line; without any it is no turn.
        if turns.last?.text.tidiedLines.isEmpty == true { turns.removeLast() }
        guard turns.count <= CueCollector.cueLimit else { break }
        turns.append((String(line.dropFirst().drop(while: \.isWhitespace)), true))
      } else if turns.isEmpty {
        turns.append((String(line), false))
      } else {
        turns[turns.count - 1].text += "\n" + line
      }
    }
    guard turns.contains(where: \.hasDash) else { return [whole] }
    let said = turns.map { (text: $0.text.tidiedLines, hasDash: $0.hasDash) }
      .filter { !$0.text.isEmpty }
    return zip(parts(said.map(\.text)), said).map {
      SpokenTurn(cue: $0, hasDash: $1.hasDash, place: place)
    }
  }

  /// The same in parts, which begin where a line does with one of some names in front; of more parts than a
  /// transcript may have cues, so many that it is refused.
  fileprivate func divided(at names: Set<String>) -> [Cue] {
    guard speaker == nil, words.isEmpty, text.contains("\n") else { return [self] }
    var texts: [String] = []
    for line in text.split(separator: "\n") {
      let name = text[line.startIndex...].nameInFront?.name
      let isNamed = name.map { names.contains(String($0)) } ?? false
      if let last = texts.last, !isNamed || last.isNameAlone {
        texts[texts.count - 1] += "\n" + line
      } else if texts.count > CueCollector.cueLimit {
        break
      } else {
        texts.append(String(line))
      }
    }
    return texts.count > 1 ? parts(texts) : [self]
  }

  /// One cue for each text.
  private func parts(_ texts: [String]) -> [Cue] {
    texts.enumerated().map { index, text in
      var part = self
      (part.text, part.markup) = (text, nil)
      // Names are unique.
      if index > 0 { part.identifier = nil }
      return part
    }
  }

  /// The same with the speaker whose name stands in front of its text, without that; `last` has said what
  /// has no name.
  fileprivate func withNameInFront(else last: String?) -> Cue {
    guard speaker == nil else { return self }
    var cue = self
    guard let (name, start) = text.nameInFront else {
      cue.speaker = last
      return cue
    }
    cue.speaker = String(name)
    cue.dropWords(before: start)
    cue.text = String(text[start...])
    cue.markup = nil
    return cue
  }

  /// Leaves out the words before a place of the text, and what a word has before it.
  private mutating func dropWords(before start: String.Index) {
    guard let places = placesOfWords else { return words = [] }
    words = zip(words, places).compactMap { word, place in
      guard place.upperBound > start else { return nil }
      var word = word
      if place.lowerBound < start { word.text = String(text[start..<place.upperBound]) }
      return word
    }
  }
}

extension String {
  /// Whether it is a line that ends with a colon, whose text is on the next one.
  fileprivate var isNameAlone: Bool { utf8.last == UInt8(ascii: ":") && !contains("\n") }
}
