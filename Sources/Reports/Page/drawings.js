// Canvases that know their colours and their width, and are drawn again when these change.

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

const resizes = new ResizeObserver((entries) => {
  for (const {target} of entries) drawings.get(target)?.();
});

function redraw() {
  for (const [canvas, paint] of drawings) {
    if (canvas.isConnected) paint();
    else drawings.delete(canvas);
  }
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);

// MARK: The run

/** The tries of all jobs, each in a lane: as many lanes as ran at once. */
function lanes(jobs) {
  const tries = jobs.flatMap((job, number) => {
    const all = job.tries ?? (job.start === undefined ? [] : [{start: job.start, elapsed: job.elapsed}]);
    return all.map((one) => ({...one, number, status: one.end ?? job.status}));
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

/** The time line of jobs on cores; `choose` gets the number of a job that was clicked. */
function timeLine(jobs, elapsed, choose) {
  const {tries, count} = lanes(jobs);
  if (!tries.length) return null;
  const lane = count > 40 ? 6 : 18;
  const total = Math.max(elapsed, ...tries.slice(-1).map((one) => one.start), 0.001);
  const label = `${tries.length} runs of jobs in ${count} lanes over ${lasting(total)}; `
    + 'the list of jobs below has the same times';
  const canvas = drawn(count * lane + 24, {role: 'img', 'aria-label': label, class: 'timeline'},
    (context, width, height, colour) => {
      context.font = '12px system-ui, sans-serif';
      for (const one of tries) {
        const start = one.start / total * width;
        const length = Math.max(1, one.elapsed / total * width - 1);
        context.fillStyle = colour(statusColour[one.status] ?? 'waiting');
        context.fillRect(start, one.lane * lane + 1, length, lane - 2);
        if (lane < 18 || length < 40) continue;
        context.fillStyle = colour('ground');
        context.save();
        context.beginPath();
        context.rect(start, one.lane * lane, length, lane);
        context.clip();
        context.fillText(jobs[one.number].name, start + 4, one.lane * lane + 13);
        context.restore();
      }
      axis(context, width, height, total, colour);
    });
  canvas.style.width = '100%';
  canvas.addEventListener('click', (event) => {
    const time = event.offsetX / canvas.clientWidth * total;
    const row = Math.floor(event.offsetY / lane);
    const hit = tries.find((one) => one.lane === row && one.start <= time
      && time <= one.start + Math.max(one.elapsed, total / canvas.clientWidth * 2));
    if (hit) choose(hit.number);
  });
  return make('figure', {}, canvas, make('figcaption', {},
    'Each bar is a run of a job on a core. Green: done; red: failed; amber: failed and tried again; '
    + 'grey: postponed or cancelled. Gaps are waits.'));
}

function axis(context, width, height, total, colour) {
  context.fillStyle = colour('quiet');
  context.font = '12px system-ui, sans-serif';
  const marks = Math.max(1, Math.floor(width / 120));
  for (let mark = 0; mark <= marks; mark += 1) {
    const text = lasting(total * mark / marks);
    const place = width * mark / marks;
    context.textAlign = mark === 0 ? 'start' : mark === marks ? 'end' : 'center';
    context.fillText(text, place, height - 6);
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
  const {peaks, levels, seconds, chapters, parts, joins, target, place} = sound;
  const middle = height / 2;
  const high = (value) => height * (loudest - Math.max(softest, Math.min(loudest, value)))
    / (loudest - softest);
  context.fillStyle = colour('wave');
  for (let column = 0; column < peaks.length; column += 1) {
    const [start, end] = [column, column + 1].map((edge) => edge / peaks.length * width);
    const reach = Math.max(0.5, Math.min(1, peaks[column] / fullScale) * middle);
    if (peaks[column] > fullScale) context.fillStyle = colour('failed');
    context.fillRect(start, middle - reach, Math.max(1, end - start), 2 * reach);
    if (peaks[column] > fullScale) context.fillStyle = colour('wave');
  }
  const line = (value, dashes) => {
    context.setLineDash(dashes);
    context.beginPath();
    context.moveTo(0, high(value));
    context.lineTo(width, high(value));
    context.stroke();
    context.setLineDash([]);
  };
  context.strokeStyle = colour('level');
  context.lineWidth = 1;
  if (typeof target === 'number') line(target, [6, 4]);
  context.lineWidth = 2;
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
  context.stroke();
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
  for (const join of joins) upright(join.start, join.flaws.length ? 'failed' : 'quiet', [1, 3]);
  context.font = '12px system-ui, sans-serif';
  for (const chapter of chapters) {
    upright(chapter.start, 'accent', []);
    context.fillStyle = colour('text');
    context.fillText(chapter.title.slice(0, 24), chapter.start / seconds * width + 3, 12);
  }
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
    context.font = '12px system-ui, sans-serif';
    context.fillText(`${(samples.length / rate * 1000).toFixed(1)} ms`, 4, height - 6);
  });
}
