// Graphs of nodes, and what sounds when.

/** More than these are no picture any more. */
const mostNodes = 300;

function nodeText(node) {
  const name = node.path ?? node.url;
  return name ? name.split('/').pop() : node.process ?? '';
}

function nodeTime(node) {
  return [node.first_frame, node.end_frame].map((frame) => clock(frame / node.sample_rate, 3)).join(' \u2013 ');
}

/** The nodes from left to right: each in the column behind its last input. */
function graphPicture(nodes, outputs) {
  if (nodes.length > mostNodes) {
    return make('p', {class: 'quiet'},
      `${nodes.length} nodes are more than a picture has: 'avjob plan --format dot' prints them.`);
  }
  const boxes = [
    ...nodes.map((node) => ({title: node.track ? `${node.kind}, track ${node.track}` : node.kind, text: nodeText(node), time: nodeTime(node), inputs: node.inputs})),
    ...outputs.map((output) => ({title: 'output', text: output.path.split('/').pop(), time: output.format,
      inputs: [output.node ?? nodes.length - 1]})),
  ];
  const columns = [];
  boxes.forEach((box) => {
    box.column = box.inputs.reduce((most, input) => Math.max(most, (boxes[input]?.column ?? -1) + 1), 0);
    columns[box.column] ??= 0;
    box.row = columns[box.column];
    columns[box.column] += 1;
  });
  const [width, height, across, down] = [190, 58, 240, 70];
  const place = (box) => [10 + box.column * across, 10 + box.row * down];
  const tall = 20 + Math.max(...columns) * down;
  const wide = 20 + columns.length * across;
  const edges = boxes.flatMap((box) => box.inputs.filter((input) => boxes[input]).map((input) => {
    const [left, top] = place(boxes[input]);
    const [right, bottom] = place(box);
    const [startX, startY, endY] = [left + width, top + height / 2, bottom + height / 2];
    const bend = (startX + right) / 2;
    return makeVector('path', {d: `M${startX} ${startY} C${bend} ${startY} ${bend} ${endY} ${right} ${endY}`});
  }));
  const shapes = boxes.map((box) => {
    const [x, y] = place(box);
    const text = (dy, words, attributes = {}) =>
      makeVector('text', {x: x + 8, y: y + dy, ...attributes}, fitted(words, width - 16));
    return makeVector('g', {},
      makeVector('title', {}, `${box.title} ${box.text} ${box.time}`),
      makeVector('rect', {x, y, width, height, rx: 6}),
      text(18, box.title, {'font-weight': 600}), text(34, box.text), text(50, box.time, {class: 'quiet'}));
  });
  const label = `Graph of ${nodes.length} nodes and ${outputs.length} outputs`;
  return scrolling(label,
    makeVector('svg', {class: 'graph', width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`,
      role: 'img', 'aria-label': label}, edges, shapes));
}

/** What sounds when: the items of the mixes below a node, with the names of their tracks. */
function itemsBelow(nodes, id, moved = 0, found = [], outer = '') {
  const node = nodes[id];
  if (!node) return found;
  const track = node.track ?? outer;
  switch (node.kind) {
    case 'mix':
      for (const input of node.inputs) {
        const child = nodes[input];
        if (child.kind === 'mix' || child.kind === 'duck') itemsBelow(nodes, input, moved, found, track);
        else found.push({node: child, track: child.track ?? track, name: itemName(nodes, input),
          start: child.first_frame + moved, end: child.end_frame + moved});
      }
      break;
    case 'source':
      found.push({node, track, name: nodeText(node), start: node.first_frame + moved, end: node.end_frame + moved});
      break;
    default:
      itemsBelow(nodes, node.inputs[0], moved, found, track);
  }
  return found;
}

function itemName(nodes, id) {
  const node = nodes[id];
  return nodeText(node) && node.kind === 'source' || !node.inputs.length
    ? nodeText(node) : itemName(nodes, node.inputs[0]);
}

/** The items as bars, each track in rows of its own, an item where a row of its track is free. */
function itemPicture(nodes, seconds) {
  const found = itemsBelow(nodes, nodes.length - 1);
  if (!found.length || found.length > 2000) return null;
  const tracks = [...new Set(found.map((item) => item.track))];
  const items = found.sort((one, other) =>
    tracks.indexOf(one.track) - tracks.indexOf(other.track) || one.start - other.start);
  const ends = [];
  let [first, last] = [0, null];
  for (const item of items) {
    if (item.track !== last) [first, last] = [ends.length, item.track];
    const free = ends.findIndex((end, row) => row >= first && end <= item.start);
    item.row = free < 0 ? ends.length : free;
    ends[item.row] = item.end;
    if (item.track) item.name = `${item.track}: ${item.name}`;
  }
  const total = items.reduce((most, item) => Math.max(most, item.end / item.node.sample_rate),
    Math.max(seconds, 0.001));
  const label = items.slice(0, 50).map((item) =>
    `${item.name} from ${clock(item.start / item.node.sample_rate, 1)}`).join(', ');
  const canvas = drawn(ends.length * 22 + 24, {role: 'img', 'aria-label': `What sounds when: ${label}`},
    (context, width, height, colour) => {
      context.font = drawingFont;
      for (const item of items) {
        const [start, end] = [item.start, item.end].map((frame) => frame / item.node.sample_rate / total * width);
        context.fillStyle = colour('wave');
        context.fillRect(start, item.row * 22 + 1, Math.max(1, end - start - 1), 20);
        if (end - start < 30) continue;
        context.fillStyle = colour('ground');
        context.fillText(fitted(plain(item.name), end - start - 8), start + 4, item.row * 22 + 15);
      }
      axis(context, width, height, total, colour);
    });
  canvas.style.width = '100%';
  return make('figure', {}, canvas);
}
