// The page of a run, or of a plan.

/** Jobs that are listed at once. */
const pageLength = 100;

const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
page.replaceChildren();
if (data.kind === 'run') showRun(data.report);
else showPlan(data.plan);

// MARK: A run

function showRun(report) {
  const name = report.files.map((file) => file.split('/').pop()).join(', ') || 'a run';
  const totals = report.totals;
  const counts = ['done', 'up_to_date', 'failed', 'blocked', 'cancelled', 'not_started']
    .filter((status) => totals[status] > 0 || status === 'done')
    .map((status) => [words(status), `${totals[status]}`]);
  const flaws = report.jobs.reduce((sum, job) => sum + flawCount(job), 0);
  page.append(
    make('h1', {}, name),
    figures([
      ['jobs', totals.jobs], ...counts, ['outputs', totals.outputs], ['size', size(totals.bytes)],
      ['sound', clock(totals.sound)], ['took', lasting(report.elapsed)],
      ['cores', report.machine.cores], ['exit status', report.exit_status],
      ['joins with flaws', flaws || null],
    ]),
    make('p', {class: 'quiet'}, `Started ${report.started} on ${report.machine.system}; `
      + Object.entries(report.versions).map(([library, version]) => `${library} ${version}`).join(', ')));
  const missing = report.shards?.missing ?? [];
  if (missing.length) {
    page.append(make('p', {class: 'failed'}, `Shards without a report: ${missing.join(', ')}`));
  }
  page.append(...report.messages.map(messagePart));
  if (data.jobs_left_out) {
    page.append(make('p', {class: 'warned'}, `${data.jobs_left_out} jobs that need no attention are left out here: `
      + 'the report in JSON has them.'));
  }
  if (report.manifests) page.append(manifestPart(report.manifests));
  const list = jobList(report.jobs);
  const line = timeLine(report.jobs, report.elapsed, list.show);
  if (line) page.append(make('h2', {}, 'Jobs on cores'), line);
  const slow = slowest(report.jobs, list.show);
  if (slow) page.append(make('h2', {}, 'What took longest'), slow);
  page.append(make('h2', {id: 'jobs'}, 'Jobs'), ...list.elements);
}

function flawCount(job) {
  return job.outputs.reduce((sum, output) =>
    sum + (output.joins ?? []).filter((join) => join.flaws.length).length, 0);
}

function warningCount(job) {
  return job.messages.filter((message) => message.severity === 'warning').length;
}

function messagePart(message) {
  const place = message.file ? `${message.file}:${message.line}:${message.column}: ` : '';
  return make('div', {class: `message ${message.severity}`},
    make('p', {}, make('span', {class: 'quiet'}, place), make('strong', {}, `${message.severity}: `),
      message.message),
    message.excerpt ? make('pre', {tabindex: '0', 'aria-label': 'Excerpt'}, message.excerpt) : null);
}

function manifestPart(manifests) {
  const state = ({files, missing, whole}) =>
    whole ? 'whole' : missing ? `${missing} missing` : 'not written';
  return make('section', {}, make('h2', {}, 'Manifests'),
    table('Manifests', ['file', 'form', 'files', 'state'], manifests.map((manifest) => [
      manifest.path, manifest.form, `${manifest.files}`, state(manifest)])));
}

function slowest(jobs, show) {
  const ran = jobs.map((job, number) => [job, number]).filter(([job]) => job.elapsed > 0)
    .sort(([one], [other]) => other.elapsed - one.elapsed).slice(0, 5);
  if (ran.length < 2) return null;
  return table('What took longest', ['job', 'took', 'speed', 'started after'], ran.map(([job, number]) => [
    make('button', {type: 'button', click: () => show(number)}, job.name), lasting(job.elapsed),
    job.speed ? `${job.speed}\u00d7` : '', lasting(job.start)]));
}

/** The list, those first that need attention; `show` opens a job by its number. */
function jobList(jobs) {
  const order = ['failed', 'blocked', 'cancelled', 'not_started', 'done', 'up_to_date'];
  const sorted = jobs.map((job, number) => ({job, number, flaws: flawCount(job), warnings: warningCount(job)}))
    .sort((one, other) => order.indexOf(one.job.status) - order.indexOf(other.job.status)
      || other.flaws - one.flaws || other.warnings - one.warnings || one.number - other.number);
  const place = make('div', {id: 'list'});
  const count = make('p', {role: 'status', class: 'quiet'});
  const more = make('button', {type: 'button', class: 'more', click: () => extend()}, 'Show more');
  const parts = new Map();
  let shown = [];
  let length = 0;
  const part = (entry) => {
    if (!parts.has(entry.number)) parts.set(entry.number, jobPart(entry));
    return parts.get(entry.number);
  };
  const extend = () => {
    place.append(...shown.slice(length, length + pageLength).map(part));
    length = Math.min(shown.length, length + pageLength);
    more.hidden = length === shown.length;
    count.textContent = `${length} of ${shown.length} ${shown.length === 1 ? 'job' : 'jobs'}`;
  };
  const text = make('input', {type: 'search', id: 'filter', input: () => filter()});
  const statuses = make('select', {id: 'status', change: () => filter()},
    make('option', {value: ''}, 'all'),
    make('option', {value: 'flawed'}, 'with warnings or flaws'),
    order.filter((status) => jobs.some((job) => job.status === status))
      .map((status) => make('option', {value: status}, words(status))));
  const filter = () => {
    const wanted = text.value.toLowerCase();
    shown = sorted.filter(({job, flaws, warnings}) =>
      (!statuses.value || job.status === statuses.value
        || statuses.value === 'flawed' && (flaws || warnings))
      && (!wanted || job.name.toLowerCase().includes(wanted)
        || job.outputs.some((output) => output.path.toLowerCase().includes(wanted))));
    place.replaceChildren();
    length = 0;
    extend();
  };
  filter();
  // What there is to see is seen at once.
  if (shown.length === 1) part(shown[0]).open = true;
  const show = (number) => {
    if (!shown.some((entry) => entry.number === number)) {
      text.value = statuses.value = '';
      filter();
    }
    const entry = shown.find((one) => one.number === number);
    const details = part(entry);
    if (!details.isConnected) place.prepend(details);
    details.open = true;
    details.scrollIntoView({block: 'start'});
    details.querySelector('summary').focus();
  };
  return {show, elements: [
    make('div', {class: 'controls'},
      make('label', {}, 'Name or file', text), make('label', {}, 'Status', statuses)),
    count, place, more]};
}

function jobPart({job, number, flaws, warnings}) {
  const measured = job.outputs.find((output) => output.loudness);
  const kept = [...new Set(job.outputs.flatMap((output) =>
    (output.conformance ?? []).filter((one) => one.conforms).map((one) => one.specification)))];
  const title = [
    make('span', {class: 'name'}, job.name),
    make('span', {class: `status ${job.status}`}, words(job.status)),
    warnings ? make('span', {class: 'warned'}, warnings === 1 ? '1 warning' : `${warnings} warnings`) : null,
    flaws ? make('span', {class: 'warned'}, flaws === 1 ? '1 flawed join' : `${flaws} flawed joins`) : null,
    measured ? make('span', {class: 'quiet'}, levelOf(measured)) : null,
    kept.length ? make('span', {class: 'quiet'}, `conforms to ${kept.join(', ')}`) : null,
    job.elapsed === undefined ? null : make('span', {class: 'quiet'}, lasting(job.elapsed)),
  ].filter(Boolean);
  return folded(title, () => jobDetails(job), {class: 'job', id: `job-${number + 1}`});
}

function jobDetails(job) {
  const parts = [figures([
    ['declared at', job.file && `${job.file}:${job.line}:${job.column}`],
    ['waits for', job.blocked_by], ['ran because', job.reason],
    ['started after', job.start === undefined ? null : lasting(job.start)],
    ['took', job.elapsed === undefined ? null : lasting(job.elapsed)],
    ['speed', job.speed && `${job.speed}\u00d7`], ['attempts', job.attempts > 1 ? job.attempts : null],
  ])];
  parts.push(...job.messages.map(messagePart));
  if (job.tries) {
    parts.push(make('h3', {}, 'Each try'), table('Each try', ['from', 'took', 'ended'],
      job.tries.map((one) => [lasting(one.start), lasting(one.elapsed), words(one.end ?? '')])));
  }
  if (job.status === 'up_to_date') {
    parts.push(make('p', {class: 'quiet'}, 'Up to date: the files are those of an earlier run, and were not '
      + 'looked at again. avjob run --force makes and measures them.'));
  }
  const areThere = job.status === 'done' || job.status === 'up_to_date';
  parts.push(...job.outputs.map((output) => outputPart(output, areThere)));
  if (job.inputs.length) {
    parts.push(make('h3', {}, 'Made from'), table('Made from', ['medium', 'stream', 'format', 'sound', 'length'],
      job.inputs.map((input) => [input.path ?? input.url, input.stream, `${input.container}, ${input.codec}`,
        `${input.sample_rate} Hz ${input.channels}`, clock(input.duration, 3)])));
  }
  if (job.graph) {
    parts.push(folded('What sounds when, and the graph', () => [
      ...headed('What sounds when', itemPicture(job.graph, 0)),
      ...headed('Graph', graphPicture(job.graph, job.outputs.filter((output) => output.format !== 'JSON record')))]));
  }
  return parts;
}

/** A part under its heading; nothing of nothing. */
function headed(title, part) {
  return part ? [make('h3', {}, title), part] : [];
}

// MARK: A plan

function showPlan(plan) {
  page.append(make('h1', {}, 'Plan'),
    figures([['jobs', plan.jobs.length], ['sound', clock(plan.jobs.reduce((sum, job) => sum + job.duration, 0))]]));
  const parts = plan.jobs.map((job) => folded([
    make('span', {class: 'name'}, job.name), make('span', {class: 'quiet'}, clock(job.duration, 3)),
  ], () => [
    ...headed('What sounds when', itemPicture(job.nodes, job.duration)),
    job.chapters.length
      ? table('Chapters', ['from', 'title'], job.chapters.map((chapter) => [clock(chapter.start, 3), chapter.title]))
      : null,
    table('Outputs', ['file', 'format'], job.outputs.map((output) => [output.path, output.format])),
    ...headed('What is shown when', shownParts(job.outputs)),
    job.fetches?.length
      ? table('To be fetched', ['from', 'about'], job.fetches.map((fetch) => [fetch.url, size(fetch.bytes)])) : null,
    ...headed('Graph', graphPicture(job.nodes, job.outputs)),
  ], {class: 'job'}));
  page.append(...parts);
  if (parts.length === 1) parts[0].open = true;
}

/** The ranges of pictures, with what is copied and encoded of them; null where there are none. */
function shownParts(outputs) {
  const range = (start, end) => start === undefined ? '' : `${clock(start, 3)} \u2013 ${clock(end, 3)}`;
  const rows = outputs.flatMap((output) => (output.picture?.spans ?? []).map((span) => [
    output.path, range(span.start, span.end), span.path ?? span.url, range(span.source_start, span.source_end),
    (span.parts ?? []).map((part) => part.copied ? 'copied' : `${part.pictures} encoded`).join(', ')]));
  const heads = ['output', 'shown', 'source', 'from', 'pictures'];
  const rest = rows.length - pageLength;
  return rows.length === 0 ? null : make('div', {},
    table('What is shown when', heads, rows.slice(0, pageLength)),
    rest > 0 ? make('p', {class: 'quiet'}, `${rest} ranges more are in the plan in JSON.`) : null);
}
