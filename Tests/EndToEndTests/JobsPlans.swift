/// What `avjob plan` prints, whole.
extension JobsTests {
  /// In the order of `files`.
  static let plans = [
    clipPlan, concatPlan, designPlan, podcastPlan, splitPlan, transcodePlan,
  ]

  private static let clipPlan = """
    second-quatrain: 0:15.960, mixed at 44.1 kHz stereo
      timeline
        0:00.000 – 0:15.960  Jobs/../Fixtures/librivox-sonnet.mp3 from 0:15.250
      outputs
        Jobs/out/second-quatrain.mp3  MP3 V2, 44.1 kHz stereo
    last-lines: 0:09.200, mixed at 44.1 kHz stereo
      timeline, silence at 0:00.000 to 0.0 dB at 0:00.250, \
    0.0 dB at 0:08.700 to silence at 0:09.200
        0:00.000 – 0:09.200  Jobs/../Fixtures/librivox-sonnet.mp3 from 0:44.067
      outputs
        Jobs/out/last-lines.flac  FLAC 16 bit, 44.1 kHz stereo, dithered
    ringtone: 0:08.000, mixed at 44.1 kHz mono
      timeline, gain +1.0 dB, 0.0 dB at 0:07.000 to silence at 0:08.000
        0:00.000 – 0:08.000  Jobs/../Fixtures/feelings.ogg from 0:13.000, stereo to mono
      outputs
        Jobs/out/ringtone.m4a  AAC 96 kbps, 44.1 kHz mono
    ten-thousand-samples: 0:00.227, mixed at 44.1 kHz stereo
      timeline
        0:00.000 – 0:00.227  Jobs/../Fixtures/lame-testcase.wav from 0:00.057
      outputs
        Jobs/out/ten-thousand-samples.wav  WAV 16 bit, 44.1 kHz stereo, samples copied exactly

    """

  private static let concatPlan = """
    concat: 0:39.312, mixed at 48 kHz stereo
      timeline
        0:00.000 – 0:05.407  Jobs/../Fixtures/voice-vbr.mp3 from 0:00.000, \
    resampled from 44.1 kHz mono
        0:06.157 – 0:14.393  Jobs/../Fixtures/camera.ogv from 0:00.000, \
    0.0 dB at 0:14.093 to silence at 0:14.393
        0:14.093 – 0:26.293  Jobs/../Fixtures/voice-8k.wav from 0:00.000, \
    resampled from 8 kHz mono, silence at 0:14.093 to 0.0 dB at 0:14.393
        0:26.293 – 0:39.312  group, gain −3.0 dB, 0.0 dB at 0:37.312 to silence at 0:39.312
          0:26.293 – 0:32.293  Jobs/../Fixtures/feelings.ogg from 0:13.000, \
    resampled from 44.1 kHz stereo, 0.0 dB at 0:31.293 to silence at 0:32.293
          0:31.293 – 0:39.312  Jobs/../Fixtures/feelings.ogg from 0:22.000, \
    resampled from 44.1 kHz stereo, silence at 0:31.293 to 0.0 dB at 0:32.293
      outputs
        Jobs/out/concat.mp3  MP3 V2, 48 kHz stereo

    """

  private static let designPlan = """
    design: 0:12.950, mixed at 44.1 kHz stereo
      timeline
        0:00.000 – 0:12.950  group 'bed', gain −9.0 dB, 0.0 dB at 0:10.950 to silence at 0:12.950
          0:00.000 – 0:04.000  Jobs/../Fixtures/feelings.ogg from 0:13.000
          0:04.000 – 0:08.000  Jobs/../Fixtures/feelings.ogg from 0:13.000
          0:08.000 – 0:12.000  Jobs/../Fixtures/feelings.ogg from 0:13.000
          0:12.000 – 0:12.950  Jobs/../Fixtures/feelings.ogg from 0:13.000
        0:01.000 – 0:05.000  group 'swell', silence at 0:01.000 to 0.0 dB at 0:05.000, \
    pan −100 % at 0:01.000 to 100 % at 0:05.000
          0:01.000 – 0:05.000  part
            0:00.000 – 0:04.000  reversed
              0:00.000 – 0:04.000  Jobs/../Fixtures/feelings.ogg from 0:22.000, varispeed × 1.5
        0:04.500 – 0:10.200  part 'voice'
          0:00.000 – 0:05.700  highpass 120 Hz
            0:00.000 – 0:05.700  group
              0:00.000 – 0:02.500  Jobs/../Fixtures/voice-8k.wav from 0:00.000, \
    resampled from 8 kHz mono
              0:02.500 – 0:05.700  Jobs/../Fixtures/voice-8k.wav from 0:04.000, \
    resampled from 8 kHz mono
        0:10.450 – 0:12.950  Jobs/../Fixtures/voice-8k.wav from 0:00.000, \
    resampled from 8 kHz mono, gain −6.0 dB, pan 60 %
      outputs
        Jobs/out/design.flac  FLAC 24 bit, 44.1 kHz stereo

    """

  private static let splitPlan = """
    split/01 First quatrain: 0:15.000, mixed at 44.1 kHz stereo
      timeline
        0:00.000 – 0:53.267  Jobs/../Fixtures/librivox-sonnet.mp3 from 0:00.000
      outputs, of 0:00.000 – 0:15.000 on the timeline
        Jobs/out/sonnet/01 First quatrain.flac  FLAC 16 bit, 44.1 kHz stereo, dithered
    split/02 Second quatrain: 0:16.000, mixed at 44.1 kHz stereo
      timeline
        0:00.000 – 0:53.267  Jobs/../Fixtures/librivox-sonnet.mp3 from 0:00.000
      outputs, of 0:15.000 – 0:31.000 on the timeline
        Jobs/out/sonnet/02 Second quatrain.flac  FLAC 16 bit, 44.1 kHz stereo, dithered
    split/03 Third quatrain: 0:13.200, mixed at 44.1 kHz stereo
      timeline
        0:00.000 – 0:53.267  Jobs/../Fixtures/librivox-sonnet.mp3 from 0:00.000
      outputs, of 0:31.000 – 0:44.200 on the timeline
        Jobs/out/sonnet/03 Third quatrain.flac  FLAC 16 bit, 44.1 kHz stereo, dithered
    split/04 Couplet: 0:09.067, mixed at 44.1 kHz stereo
      timeline
        0:00.000 – 0:53.267  Jobs/../Fixtures/librivox-sonnet.mp3 from 0:00.000
      outputs, of 0:44.200 – 0:53.267 on the timeline
        Jobs/out/sonnet/04 Couplet.flac  FLAC 16 bit, 44.1 kHz stereo, dithered

    """

  private static let podcastPlan = """
    podcast: 0:49.800, mixed at 44.1 kHz stereo
      timeline
        0:00.000 – 0:17.019  ducked by 17 dB under 'voice', attack 0.5s, hold 0.3s, release 1.5s
          0:00.000 – 0:17.019  part 'music', silence at 0:00.000 to 0.0 dB at 0:00.200, \
    0.0 dB at 0:14.019 to silence at 0:17.019
            0:00.000 – 0:17.019  to −18.0 LUFS
              0:00.000 – 0:17.019  Jobs/../Fixtures/feelings.ogg from 0:13.000
        0:05.500 – 0:37.700  group 'voice'
          0:05.500 – 0:20.300  part
            0:00.000 – 0:14.800  to −17.0 LUFS
              0:00.000 – 0:14.800  Jobs/../Fixtures/librivox-sonnet.mp3 from 0:00.300
          0:20.900 – 0:28.100  part
            0:00.000 – 0:07.200  to −17.0 LUFS
              0:00.000 – 0:07.200  Jobs/../Fixtures/voice-8k.wav from 0:00.000, \
    resampled from 8 kHz mono
          0:28.500 – 0:37.700  part, 0.0 dB at 0:36.800 to silence at 0:37.700
            0:00.000 – 0:09.200  to −17.0 LUFS
              0:00.000 – 0:09.200  Jobs/../Fixtures/librivox-sonnet.mp3 from 0:44.067
        0:36.800 – 0:49.800  part 'voice', gain −1.0 dB, silence at 0:36.800 to 0.0 dB at 0:37.700, \
    0.0 dB at 0:44.800 to silence at 0:49.800
          0:00.000 – 0:13.000  to −18.0 LUFS
            0:00.000 – 0:13.000  Jobs/../Fixtures/feelings.ogg from 0:12.900
      chapters
        0:00.000  Opening
        0:05.500  Four lines
        0:20.900  Somebody calls
        0:28.500  Two lines more
        0:36.800  Credits
      outputs
        Jobs/out/sonnets-01.mp3  MP3 V2, 44.1 kHz stereo, to −16.0 LUFS, \
    ceiling −1.4 dBTP
        Jobs/out/sonnets-01.chapters.json  Podcasting 2.0 chapters
        Jobs/out/sonnets-01.m4a  AAC 128 kbps, 44.1 kHz stereo, to −16.0 LUFS, \
    ceiling −2.2 dBTP

    """

  private static let transcodePlan = """
    blank_video: 0:00.975, mixed at 44.1 kHz mono
      timeline
        0:00.000 – 0:00.975  Jobs/../Fixtures/blank_video.m4v from 0:00.000, stereo to mono
      outputs
        Jobs/out/transcoded/blank_video.mp3  MP3 V4, 44.1 kHz mono
    camera: 0:08.236, mixed at 48 kHz mono
      timeline
        0:00.000 – 0:08.236  Jobs/../Fixtures/camera.ogv from 0:00.000, stereo to mono
      outputs
        Jobs/out/transcoded/camera.mp3  MP3 V4, 48 kHz mono
    feelings: 0:30.019, mixed at 44.1 kHz mono
      timeline
        0:00.000 – 0:30.019  Jobs/../Fixtures/feelings.ogg from 0:00.000, stereo to mono
      outputs
        Jobs/out/transcoded/feelings.mp3  MP3 V4, 44.1 kHz mono
    voice-8k: 0:30.277, mixed at 8 kHz mono
      timeline
        0:00.000 – 0:30.277  Jobs/../Fixtures/voice-8k.wav from 0:00.000
      outputs
        Jobs/out/transcoded/voice-8k.mp3  MP3 V4, 8 kHz mono
    voice-vbr: 0:05.407, mixed at 44.1 kHz mono
      timeline
        0:00.000 – 0:05.407  Jobs/../Fixtures/voice-vbr.mp3 from 0:00.000
      outputs
        Jobs/out/transcoded/voice-vbr.mp3  MP3 V4, 44.1 kHz mono

    """
}
