// Canvases that know their colours and their width, and are drawn again when these change.

const drawingFont = '12px system-ui, sans-serif';

/** What draws each canvas; a canvas that has left the page is forgotten. */
const drawings = new Map();

/** A canvas that `draw(context, width, height, colour)` fills, `height` pixels of the page high. */
function drawn(height, attributes, draw) {
  const canvas = make('canvas', attributes);
  canvas.style.height = `${height}px`;
  const paint = () => {
    const width = canvas.clientWidth;
    if (!width) return;
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext('2d');
    context.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    draw(context, width, height, (name) => style.getPropertyValue(`--${name}`).trim());
  };
  drawings.set(canvas, paint);
  resizes.observe(canvas);
  return canvas;
}

const ruler = make('canvas').getContext('2d');

/** A text as drawings have it, cut to so many pixels. */
function fitted(text, width) {
  ruler.font = drawingFont;
  if (ruler.measureText(text).width <= width) return text;
  let [fits, length] = [0, text.length];
  while (length - fits > 1) {
    const half = (fits + length) >> 1;
    if (ruler.measureText(`${text.slice(0, half)}\u2026`).width <= width) fits = half;
    else length = half;
  }
  return `${text.slice(0, fits)}\u2026`;
}

const resizes = new ResizeObserver((entries) => {
  for (const {target} of entries) drawings.get(target)?.();
});

function redraw() {
  for (const [canvas, paint] of drawings) {
    if (canvas.isConnected) paint();
    else drawings.delete(canvas);
  }
}
for (const query of ['(prefers-color-scheme: dark)', 'print']) {
  matchMedia(query).addEventListener('change', redraw);
}

// MARK: The run

/** The tries of all jobs, each in a lane: as many lanes as ran at once. */
function lanes(jobs) {
  const tries = jobs.flatMap((job, number) => {
    const all = job.tries ?? (job.start === undefined ? [] : [{start: job.start, elapsed: job.elapsed}]);
    return all.map((one) => {
      const status = one.end ?? job.status;
      return {...one, number, status, colour: statusColour[status] ?? 'waiting'};
    });
  });
  tries.sort((one, other) => one.start - other.start);
  const ends = [];
  for (const one of tries) {
    const free = ends.findIndex((end) => end <= one.start + 0.001);
    one.lane = free < 0 ? ends.length : free;
    ends[one.lane] = one.start + one.elapsed;
  }
  return {tries, count: ends.length};
}

const statusColour = {
  done: 'done', up_to_date: 'done', failed: 'failed', retried: 'warned', postponed: 'waiting',
  cancelled: 'waiting',
};

/** What is drawn later stays visible where bars are narrower than a pixel. */
const urgency = ['done', 'waiting', 'warned', 'failed'];

/** The time line of jobs on cores; `choose` gets the number of a job that was clicked. */
function timeLine(jobs, elapsed, choose) {
  const {tries, count} = lanes(jobs);
  if (!tries.length) return null;
  const lane = count > 40 ? 6 : 18;
  const total = Math.max(elapsed, ...tries.slice(-1).map((one) => one.start), 0.001);
  const urgent = [...tries].sort((one, other) => urgency.indexOf(one.colour) - urgency.indexOf(other.colour));
  const label = `${tries.length} runs of jobs in ${count} lanes over ${lasting(total)}; `
    + 'the list of jobs below has the same times';
  const canvas = drawn(count * lane + 24, {role: 'img', 'aria-label': label, class: 'timeline'},
    (context, width, height, colour) => {
      context.font = drawingFont;
      for (const one of urgent) {
        const start = one.start / total * width;
        const length = Math.max(one.colour === 'done' ? 1 : 3, one.elapsed / total * width - 1);
        context.fillStyle = colour(one.colour);
        context.fillRect(start, one.lane * lane + 1, length, lane - 2);
        if (lane < 18 || length < 40) continue;
        context.fillStyle = colour('ground');
        context.fillText(fitted(plain(jobs[one.number].name), length - 8), start + 4, one.lane * lane + 13);
      }
      axis(context, width, height, total, colour);
    });
  canvas.style.width = '100%';
  const pointed = (event) => {
    const time = event.offsetX / canvas.clientWidth * total;
    const row = Math.floor(event.offsetY / lane);
    // As they are drawn: the last one is on top.
    return urgent.findLast((one) => one.lane === row && one.start <= time
      && time <= one.start + Math.max(one.elapsed, total / canvas.clientWidth * 3));
  };
  canvas.addEventListener('click', (event) => {
    const one = pointed(event);
    if (one) choose(one.number);
  });
  canvas.addEventListener('mousemove', (event) => {
    const one = pointed(event);
    canvas.title = one ? `${plain(jobs[one.number].name)}: ${words(one.status)}, ${lasting(one.elapsed)}` : '';
  });
  return make('figure', {}, canvas, make('figcaption', {},
    'Each bar is a run of a job on a core. Green: done; red: failed; amber: failed and tried again; '
    + 'grey: postponed or cancelled. Gaps are waits.'));
}

/** Seconds between marks. */
const steps = [...[0.01, 0.1, 1].flatMap((unit) => [unit, 2 * unit, 5 * unit]), 10, 15, 30,
  ...[60, 3600].flatMap((unit) => [1, 2, 5, 10, 15, 30].map((count) => count * unit)), 86400];

/** Marks at round times, and the end. */
function axis(context, width, height, total, colour) {
  context.fillStyle = colour('quiet');
  context.font = drawingFont;
  const step = steps.find((one) => one / total * width >= 80) ?? total;
  const decimals = step < 0.1 ? 2 : step < 1 ? 1 : 0;
  const end = lasting(total);
  context.textAlign = 'end';
  context.fillText(end, width, height - 6);
  const room = width - context.measureText(end).width - 12;
  for (let mark = 0; mark * step < total; mark += 1) {
    const text = total < 60 ? `${(mark * step).toFixed(decimals)} s` : clock(mark * step);
    const place = mark * step / total * width;
    const reach = context.measureText(text).width / 2;
    context.textAlign = mark ? 'center' : 'start';
    if (place + reach < room) context.fillText(text, place, height - 6);
    context.fillRect(place, height - 22, 1, 4);
  }
  context.textAlign = 'start';
}

// MARK: Sound

/** Full scale within the columns of peaks. */
const fullScale = 250;
/** The loudness of a column; null for none. */
const loudness = (column) => (column ? column / 3 - 75 : null);
/** The range of the curve of loudness. */
const [softest, loudest] = [-48, 0];

/** Peaks upwards from the middle, in red where they pass full scale; loudness over them. */
function drawSound(context, width, height, colour, sound) {
  const {peaks, levels, seconds, chapters, parts, joins, target, ceiling, place} = sound;
  const middle = height / 2;
  const high = (value) => Math.max(1, height * (loudest - Math.max(softest, Math.min(loudest, value)))
    / (loudest - softest));
  // Red ones last: they stay visible where columns are narrower than a pixel.
  for (const isOver of [false, true]) {
    context.fillStyle = colour(isOver ? 'failed' : 'wave');
    for (let column = 0; column < peaks.length; column += 1) {
      if (isOver !== peaks[column] > fullScale) continue;
      const [start, end] = [column, column + 1].map((edge) => Math.round(edge / peaks.length * width));
      const reach = Math.max(0.5, Math.min(1, peaks[column] / fullScale) * middle);
      context.fillRect(start, middle - reach, Math.max(1, end - start), 2 * reach);
    }
  }
  const line = (y, name, dashes) => {
    context.strokeStyle = colour(name);
    context.lineWidth = 1;
    context.setLineDash(dashes);
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
    context.setLineDash([]);
  };
  if (typeof target === 'number') line(high(target), 'level', [6, 4]);
  if (typeof ceiling === 'number') {
    // Of the peaks, which are drawn upwards and downwards by their magnitude.
    const reach = Math.min(1, 10 ** (ceiling / 20)) * middle;
    for (const y of [middle - reach, middle + reach]) line(y, 'level', [2, 6]);
  }
  context.beginPath();
  let isDown = false;
  levels.forEach((column, index) => {
    const value = loudness(column);
    if (value === null) {
      isDown = false;
      return;
    }
    const x = (index + 0.5) / levels.length * width;
    if (isDown) context.lineTo(x, high(value));
    else context.moveTo(x, high(value));
    isDown = true;
  });
  // On a ground of its own, to be told from the waveform.
  for (const [name, lineWidth] of [['raised', 4], ['level', 2]]) {
    context.strokeStyle = colour(name);
    context.lineWidth = lineWidth;
    context.stroke();
  }
  const upright = (time, name, dashes) => {
    context.strokeStyle = colour(name);
    context.lineWidth = 1;
    context.setLineDash(dashes);
    context.beginPath();
    context.moveTo(time / seconds * width, 0);
    context.lineTo(time / seconds * width, height);
    context.stroke();
    context.setLineDash([]);
  };
  for (const time of parts) upright(time, 'quiet', [2, 2]);
  for (const join of joins) {
    if (join.flaws.length) upright(join.start, 'failed', [6, 2]);
    else upright(join.start, 'quiet', [1, 3]);
  }
  context.font = drawingFont;
  chapters.forEach((chapter, index) => {
    upright(chapter.start, 'accent', []);
    const start = chapter.start / seconds * width;
    const room = (chapters[index + 1]?.start ?? seconds) / seconds * width - start - 8;
    if (room < 16) return;
    const title = fitted(chapter.title, room);
    context.fillStyle = colour('raised');
    context.fillRect(start + 1, 0, context.measureText(title).width + 4, 16);
    context.fillStyle = colour('text');
    context.fillText(title, start + 3, 12);
  });
  if (place !== null) {
    context.fillStyle = colour('accent');
    context.fillRect(place / seconds * width - 1, 0, 3, height);
  }
}

/** The samples around a join, with a line where the next item begins. */
function joinPicture(join, rate) {
  const samples = new Int8Array(bytes(join.samples).buffer);
  const label = `${samples.length} samples around ${clock(join.start, 3)}`;
  return drawn(96, {role: 'img', 'aria-label': label}, (context, width, height, colour) => {
    const x = (index) => index / Math.max(1, samples.length - 1) * width;
    context.strokeStyle = colour(join.flaws.length ? 'failed' : 'quiet');
    context.setLineDash([3, 3]);
    for (const frame of new Set([join.first_frame, join.end_frame])) {
      context.beginPath();
      context.moveTo(x(frame - join.shown_frame), 0);
      context.lineTo(x(frame - join.shown_frame), height);
      context.stroke();
    }
    context.setLineDash([]);
    context.strokeStyle = colour('wave');
    context.lineWidth = 1.5;
    context.beginPath();
    samples.forEach((sample, index) => {
      const y = height / 2 - sample / 127 * (height / 2 - 4);
      if (index) context.lineTo(x(index), y);
      else context.moveTo(x(index), y);
    });
    context.stroke();
    context.fillStyle = colour('quiet');
    context.font = drawingFont;
    context.fillText(`${(samples.length / rate * 1000).toFixed(1)} ms`, 4, height - 6);
  });
}
