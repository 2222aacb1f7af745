// An output: its figures, its waveform with a player, its joins, and its spectrogram on demand.

/** The level of an output, or its target, in the figure that was asked for. */
function levelOf(output, levels = output.loudness) {
  const goal = output.normalization?.target ?? {};
  if (goal.rms_db !== undefined) return decibels(levels?.rms_db, 'dB RMS');
  if (goal.sample_peak_dbfs !== undefined) return decibels(levels?.sample_peak_dbfs, 'dBFS');
  return decibels(levels?.integrated_lufs, 'LUFS');
}

/** An output; one that is not there has no link. */
function outputPart(output, isThere) {
  const level = output.loudness ?? {};
  const goal = output.normalization?.target ?? {};
  const copied = output.copied?.filter((part) => !part.reasons).length;
  const parts = [
    make('h4', {}, isThere ? make('a', {href: output.href}, output.path) : output.path),
    figures([
      ['format', output.format], ['size', output.bytes === undefined ? null : size(output.bytes)],
      ['length', output.duration === undefined ? null : clock(output.duration, 3)],
      ['rate', output.sample_rate && `${output.sample_rate} Hz`],
      ['channels', output.channel_count],
      ['loudness', output.loudness && decibels(level.integrated_lufs, 'LUFS')],
      ['true peak', output.loudness && decibels(level.true_peak_dbtp, 'dBTP')],
      ['range', decibels(level.range_lu ?? undefined, 'LU')],
      ['level', goal.integrated_lufs === undefined && output.normalization ? levelOf(output) : null],
      ['target', levelOf(output, goal)],
      ['ceiling', decibels(goal.true_peak_dbtp, 'dBTP')],
      ['gain', decibels(output.normalization?.gain_db, 'dB')],
      ['limited', output.normalization?.limiter_dbtp === undefined ? null : 'yes'],
      ['largest sample before encoding', decibels(output.copied ? output.peak_dbfs ?? undefined : output.peak_dbfs, 'dBFS')],
      ['over full scale', output.clipped_samples || null],
      ['copied parts', copied],
      ['pictures copied', output.pictures?.copied], ['pictures encoded', output.pictures?.encoded],
      ['conforms to', output.conformance?.map((one) => one.specification).join(', ')],
      ['SHA-256', output.sha256],
    ]),
  ];
  if (output.overview) parts.push(player(output));
  if (output.transcript?.cues) parts.push(wordList(output));
  if (output.joins?.length) parts.push(joinList(output));
  if (output.joins_left_out) {
    parts.push(make('p', {class: 'quiet'}, `${output.joins_left_out} joins without flaws are left out.`));
  }
  if (output.picture_joins?.length) parts.push(pictureJoinList(output));
  const tags = Object.entries(output.metadata ?? {})
    .map(([name, text]) => [name, Array.isArray(text) ? text.join('; ') : text]);
  if (tags.length) parts.push(make('h4', {}, 'Tags'), figures(tags));
  if (output.cover_href) {
    // A picture within a medium, or of a server, is nothing that a page may load.
    parts.push(folded('Cover', () => make('img', {class: 'cover', src: output.cover_href,
      alt: `Cover: ${output.cover}`, error: ({target}) => target.replaceWith(`From ${output.cover}`)})));
  }
  return make('section', {class: 'part', 'aria-label': output.path}, parts);
}

/** The waveform, which seeks where it is clicked; arrow keys, Home, End and Space do the same. */
function player(output) {
  const seconds = Math.max(output.duration, 0.001);
  const audio = make('audio', {controls: true, preload: 'none', src: output.href,
    'aria-label': `Player of ${output.path}`});
  const sound = {
    peaks: bytes(output.overview.peaks), levels: bytes(output.overview.loudness), seconds,
    chapters: output.chapters ?? [], joins: output.joins ?? [],
    parts: (output.copied ?? []).slice(1).map((part) => part.first_frame / output.sample_rate),
    target: output.normalization?.target?.integrated_lufs,
    ceiling: output.normalization?.target?.true_peak_dbtp, place: null,
  };
  const canvas = drawn(140, {
    class: 'wave', role: 'slider', tabindex: '0', 'aria-label': `Waveform of ${output.path}`,
    'aria-valuemin': '0', 'aria-valuemax': seconds.toFixed(3), 'aria-valuenow': '0',
    'aria-valuetext': clock(0, 1),
  }, (context, width, height, colour) => drawSound(context, width, height, colour, sound));
  const show = (time) => {
    sound.place = time;
    canvas.setAttribute('aria-valuenow', time.toFixed(3));
    canvas.setAttribute('aria-valuetext', clock(time, 1));
    drawings.get(canvas)?.();
    output.heard?.(time);
  };
  const seek = (time) => {
    const place = Math.max(0, Math.min(seconds, time));
    show(place);
    // A medium that is not there has no time to go to: its controls say so.
    audio.currentTime = place;
  };
  audio.addEventListener('error', () => audio.after(make('p', {class: 'warned', role: 'status'},
    `${output.href} cannot be played: it is not beside this page, or the browser does not know its format.`)),
  {once: true});
  audio.addEventListener('timeupdate', () => show(audio.currentTime));
  canvas.addEventListener('click', (event) => seek(event.offsetX / canvas.clientWidth * seconds));
  canvas.addEventListener('keydown', (event) => {
    const now = sound.place ?? 0;
    const places = {
      ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1,
      PageUp: now + 10, PageDown: now - 10, Home: 0, End: seconds,
    };
    if (event.key === ' ') toggle(audio);
    else if (event.key in places) seek(places[event.key]);
    else return;
    event.preventDefault();
  });
  output.seek = (time) => {
    seek(time);
    canvas.focus();
  };
  output.play = (time) => {
    seek(time);
    audio.play().catch(() => {});
  };
  const chapters = sound.chapters.map((chapter) => make('li', {},
    make('button', {type: 'button', click: () => seek(chapter.start)},
      `${clock(chapter.start, Number.isInteger(chapter.start) ? 0 : 1)} ${chapter.title}`)));
  return make('figure', {}, canvas, audio,
    chapters.length ? make('ul', {class: 'chapters', 'aria-label': 'Chapters'}, chapters) : null,
    make('figcaption', {}, 'Peaks, red over full scale, and short-term loudness from '
      + `${softest} to ${loudest} LUFS`.replaceAll('-', '\u2212') + '; dashed: the target; dotted: the ceiling of the peaks. '
      + 'Click, or use the arrow keys, to go to a place.'),
    spectrum(output));
}

function toggle(audio) {
  if (audio.paused) audio.play().catch(() => {});
  else audio.pause();
}

// MARK: Words

/** Seconds of silence that end a paragraph, and seconds after which it ends with the next cue. */
const [longestGap, longestParagraph] = [2, 45];

/** The cues in paragraphs, each of one speaker. */
function paragraphsOf(cues) {
  const paragraphs = [];
  cues.forEach((cue, index) => {
    const last = paragraphs.at(-1);
    const goesOn = last && last.speaker === cue.speaker && cue.start - last.end < longestGap
      && cue.start - last.start < longestParagraph;
    if (!goesOn) paragraphs.push({speaker: cue.speaker, start: cue.start, end: cue.end, cues: []});
    const one = paragraphs.at(-1);
    one.cues.push({cue, index});
    one.end = Math.max(one.end, cue.end);
  });
  return paragraphs;
}

/** The numbers of the cues that are said at a time; cues are in order of their starts, and few overlap. */
function saidAt(cues, time) {
  let [begun, rest] = [0, cues.length];
  while (begun < rest) {
    const half = (begun + rest) >> 1;
    if (cues[half].start <= time) begun = half + 1;
    else rest = half;
  }
  return Array.from({length: Math.min(begun, 16)}, (_, back) => begun - 1 - back)
    .filter((index) => time < cues[index].end).reverse();
}

/** What is said in an output; a click plays it from there. */
function wordList(output) {
  const cues = output.cues ?? [];
  const count = output.transcript.cues;
  const title = `Words: ${count} ${count === 1 ? 'cue' : 'cues'}`;
  const rest = count - cues.length;
  return folded(title, () => [
    cues.length ? wordBox(output, cues) : null,
    rest > 0 ? make('p', {class: 'quiet'}, `${rest} cues are left out here: the files of words have them.`) : null,
  ], {open: cues.length > 0 && cues.length <= 2000});
}

function wordBox(output, cues) {
  const spans = cues.map((cue) => make('span', {
    class: output.play ? 'cue' : null, click: () => {
      // A text that is chosen to be copied is not clicked.
      if (getSelection().isCollapsed) output.play?.(cue.start);
    }}, cue.text));
  const box = make('div', {class: 'words', tabindex: '0', role: 'group', lang: output.transcript.language,
    'aria-label': `Words of ${output.path}`},
  paragraphsOf(cues).map((one) => make('p', {dir: 'auto'},
    output.play
      ? make('button', {type: 'button', click: () => output.play(one.start)}, clock(Math.floor(one.start)))
      : clock(Math.floor(one.start)),
    ' ', one.speaker ? [make('strong', {dir: 'auto'}, one.speaker), ': '] : null,
    one.cues.map(({index}) => [spans[index], ' ']).flat())));
  let said = [];
  output.heard = (time) => {
    const now = saidAt(cues, time);
    for (const index of said) if (!now.includes(index)) spans[index].removeAttribute('aria-current');
    for (const index of now) spans[index].setAttribute('aria-current', 'true');
    if (now.length && now[0] !== said[0]) reveal(box, spans[now[0]]);
    said = now;
  };
  return box;
}

/** Scrolls a box, and not the page, to where a part of it is seen. */
function reveal(box, part) {
  const top = part.offsetTop;
  if (top < box.scrollTop || top + part.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = top - box.clientHeight / 3;
  }
}

function flawText(flaw) {
  switch (flaw.kind) {
    case 'click': return 'a click';
    case 'gap': return `a gap of ${flaw.frames} samples`;
    default:
      return `${Math.abs(flaw.db).toFixed(1)} dB ${flaw.db < 0 ? 'softer' : 'louder'}`;
  }
}

function joinList(output) {
  const flawed = output.joins.filter((join) => join.flaws.length);
  const title = `Joins: ${output.joins.length}, ${flawed.length} with flaws`;
  return folded(title, () => make('ul', {class: 'joins'},
    [...flawed, ...output.joins.filter((join) => !join.flaws.length)].map((join) => make('li', {},
      output.seek
        ? make('button', {type: 'button', click: () => output.seek(Math.max(0, join.start - 1.5))},
          `Go to ${clock(join.start, 3)}`)
        : clock(join.start, 3),
      make('p', {class: join.flaws.length ? 'warned' : 'quiet'},
        join.flaws.map(flawText).join(', ') || 'nothing found'),
      join.samples ? joinPicture(join, output.sample_rate) : null))),
  {open: flawed.length > 0});
}

/** The last picture before each join, and the first one behind it. */
function pictureJoinList(output) {
  const drawn = output.picture_joins.filter((join) => join.before || join.after);
  const rest = output.picture_joins.length - drawn.length;
  const picture = (image, side, time) => image
    ? make('img', {src: `data:image/jpeg;base64,${image}`, alt: `Picture ${side} the join at ${time}`}) : null;
  return folded(`Joins of the picture: ${output.picture_joins.length}`, () => [
    make('ul', {class: 'joins'}, drawn.map((join) => {
      const time = clock(join.start, 3);
      return make('li', {},
        output.seek
          ? make('button', {type: 'button', click: () => output.seek(Math.max(0, join.start - 1.5))}, `Go to ${time}`)
          : time,
        make('div', {class: 'sides'}, picture(join.before, 'before', time), picture(join.after, 'behind', time)));
    })),
    rest ? make('p', {class: 'quiet'}, `${rest} joins are not drawn.`) : null]);
}

// MARK: The spectrogram

/** Made by the browser from the medium: read beside a page of a server, or chosen beside a file. */
function spectrum(output) {
  const place = make('div', {class: 'spectrum'});
  const draw = async (read) => {
    const said = make('p', {role: 'status'}, 'Decoding \u2026');
    place.replaceChildren(said);
    try {
      const context = new OfflineAudioContext(1, 1, output.sample_rate);
      const sound = await context.decodeAudioData(await read());
      place.replaceChildren(spectrogram(sound, output.path));
    } catch (error) {
      said.textContent = `The spectrogram cannot be drawn: ${error.message}`;
    }
  };
  if (location.protocol.startsWith('http')) {
    const read = async () => {
      const answer = await fetch(output.href);
      if (!answer.ok) throw new Error(`the server says ${answer.status}`);
      return answer.arrayBuffer();
    };
    place.append(make('button', {type: 'button', click: () => draw(read)}, 'Draw the spectrogram'));
  } else {
    const choose = make('input', {type: 'file', accept: 'audio/*',
      change: () => choose.files[0] && draw(() => choose.files[0].arrayBuffer())});
    place.append(make('label', {}, 'Spectrogram of the file (a page may not read it by itself): ', choose));
  }
  return place;
}

const windowLength = 1024;

function spectrogram(sound, name) {
  const samples = sound.getChannelData(0);
  const columns = Math.min(900, Math.max(1, Math.floor(samples.length / 256)));
  const rows = windowLength / 2;
  const powers = Array.from({length: columns}, (_, column) => {
    const start = Math.floor(column / columns * Math.max(0, samples.length - windowLength));
    return spectrumOf(samples.subarray(start, start + windowLength));
  });
  const label = `Spectrogram of ${name}: up to ${Math.round(sound.sampleRate / 2)} Hz, 0 to \u2212100 dB`;
  const canvas = make('canvas', {role: 'img', 'aria-label': label, width: columns, height: rows});
  const context = canvas.getContext('2d');
  const image = context.createImageData(columns, rows);
  for (let column = 0; column < columns; column += 1) {
    for (let row = 0; row < rows; row += 1) {
      const shade = Math.max(0, Math.min(1, (10 * Math.log10(powers[column][row] + 1e-12) + 100) / 100));
      const place = 4 * ((rows - 1 - row) * columns + column);
      image.data.set([255 * shade ** 1.5, 200 * shade ** 2, 90 + 120 * shade, 255], place);
    }
  }
  context.putImageData(image, 0, 0);
  return make('figure', {}, canvas, make('figcaption', {}, label));
}

/** The power of each frequency, by a Hann window and a transform in place (Cooley and Tukey, 1965). */
function spectrumOf(samples) {
  const [real, imaginary] = [new Float64Array(windowLength), new Float64Array(windowLength)];
  const bits = Math.log2(windowLength);
  for (let index = 0; index < windowLength; index += 1) {
    let mirrored = 0;
    for (let bit = 0; bit < bits; bit += 1) mirrored |= ((index >> bit) & 1) << (bits - 1 - bit);
    const weight = 0.5 - 0.5 * Math.cos(2 * Math.PI * index / windowLength);
    real[mirrored] = (samples[index] ?? 0) * weight;
  }
  for (let half = 1; half < windowLength; half *= 2) {
    for (let step = 0; step < half; step += 1) {
      const angle = -Math.PI * step / half;
      const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
      for (let one = step; one < windowLength; one += 2 * half) {
        const other = one + half;
        const [re, im] = [
          real[other] * cosine - imaginary[other] * sine,
          real[other] * sine + imaginary[other] * cosine,
        ];
        real[other] = real[one] - re;
        imaginary[other] = imaginary[one] - im;
        real[one] += re;
        imaginary[one] += im;
      }
    }
  }
  const scale = 16 / windowLength ** 2;
  return Float64Array.from({length: windowLength / 2},
    (_, index) => (real[index] ** 2 + imaginary[index] ** 2) * scale);
}
