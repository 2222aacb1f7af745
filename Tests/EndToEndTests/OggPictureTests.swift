import TestSupport
import Testing

@Suite("Pictures of FLAC in Ogg")
struct OggPictureTests {
  private let stage = Stage()

  @Test("the front cover among the blocks of metadata goes along, whatever pages it lies on")
  func blocks() throws {
    try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import random, struct, zlib
      random.seed(3)
      def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data
                + struct.pack('>I', zlib.crc32(kind + data)))
      def png(name, size):
        rows = b''.join(b'\\0' + random.randbytes(3 * size) for _ in range(size))
        open(name, 'wb').write(
          b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', size, size, 8, 2, 0, 0, 0))
          + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
      png('back.png', 20)
      png('front.png', 300)
      END
      sox -R -n -r 8000 -c 1 -b 16 talk.wav synth 2 pinknoise
      flac --silent --ogg -T TITLE=Talk --picture='4||Back||back.png' --picture=front.png \
        talk.wav -o s.oga
      """)
    let probe = try stage.make("avjob probe s.oga").text
    #expect(probe.contains("cover     PNG") && probe.contains("title     Talk"), "\(probe)")
    let result = try stage.job("{ clip: s.oga, output: [a.flac, a.mp3, a.ogg] }")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    try stage.make(
      """
      metaflac --export-picture-to=flac.png a.flac
      /usr/bin/python3 - <<'END'
      import base64
      from mutagen.flac import Picture
      from mutagen.id3 import ID3
      from mutagen.oggvorbis import OggVorbis
      open('mp3.png', 'wb').write(ID3('a.mp3').getall('APIC')[0].data)
      block = OggVorbis('a.ogg')['metadata_block_picture'][0]
      open('ogg.png', 'wb').write(Picture(base64.b64decode(block)).data)
      END
      for name in flac mp3 ogg; do cmp front.png $name.png; done
      """)
    let plan = try stage.run("avjob plan job.yaml")
    #expect((plan.text + plan.errors).contains("1 more picture"), "\(plan.errors)")
  }

  @Test("a file without pictures has none, and keeps its tags")
  func none() throws {
    try stage.make(
      """
      sox -R -n -r 8000 -c 1 -b 16 talk.wav synth 2 pinknoise
      flac --silent --ogg -T TITLE=Talk talk.wav -o s.oga
      """)
    let probe = try stage.make("avjob probe s.oga").text
    #expect(!probe.contains("cover") && probe.contains("title     Talk"), "\(probe)")
  }
}
