import Diagnosis

/// The file that `avjob init` writes.
package enum StarterJob {
  /// A job file with comments, valid once the three files that it names exist.
  ///
  /// - Parameter path: Its path, for the commands in its comments.
  /// - Returns: The whole text.
  package static func text(named path: String) -> String {
    let word = printable(shellQuoted(path))
    return #"""
      # yaml-language-server: $schema=avjob.schema.json
      # A job for avjob: an episode with a theme before and after it.
      #
      #   avjob check \#(word)   find what is wrong with it, before any work
      #   avjob plan \#(word)    see what it would make
      #   avjob run \#(word)     make it
      #
      # Paths count from this file's folder. 'avjob schema > avjob.schema.json' writes what the first
      # line names: with it, an editor completes and checks keys.

      # Texts that '${name}' stands for; 'avjob run --set episode=2' takes the place of one.
      vars:
        episode: 1
        show: My Show

      # Names for files, with defaults for the clips that use them.
      sources:
        intro: intro.mp3
        talk: { file: talk.wav, gain: 0 dB }
        outro: outro.mp3

      # What sounds, one after the other. A time alone is silence; a range stands behind its file:
      # 'talk 1:00..2:30', 'talk 5s..', 'talk ..end-10s'.
      concat:
        - { clip: intro, fade_out: 500ms, chapter: Intro }
        - 300ms
        - { clip: talk, chapter: The talk }
        - { clip: outro, crossfade: 500ms, chapter: Outro }

      # In place of 'concat': sounds at once, each on its track.
      #
      # tracks:
      #   voice: [intro, talk, outro]
      #   music: { clip: music.flac, loop: end, gain: -18 dB }

      metadata:
        title: "${show} ${episode}"
        artist: My name

      # All of them come from one mix. 'V2' is LAME's quality; 'abr 96k' and 'cbr 128k' are rates.
      # In { } a text with '${' needs quotes.
      output:
        - { file: "out/episode-${episode:02}.mp3", mp3: V2 }
        - { file: "out/episode-${episode:02}.flac", flac: 16 bit }

      """#
  }
}
