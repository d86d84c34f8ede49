// SPDX-License-Identifier: Apache-2.0
// Images: what is publicly known of a set, and real ones (NOT PRIVATE), which are decoded here, in the page.
import {texts, say} from './texts.js';
import {el, get, post, postForAnswer, button, labelled, ticked, attempt, announce, short, stepHead, actions, go} from './tools.js';

const t = texts.images;
const MOST_CLASSES = 10, MOST_OF_CLASS = 8; // of real images

// ---- what is known ----

function factList({facts, problem}) {
  if (problem) return el('p', {class: 'failure'}, problem);
  const {height, width, channels, classes, names, images} = facts;
  const fact = (name, value) => [el('dt', {}, name), el('dd', {}, value)];
  const all = names.length ? say(t.named, {count: classes, list: names.slice(0, 12).join(', ') + (names.length > 12 ? ', …' : '')}) : classes ? String(classes) : t.noLabels;
  return el('dl', {class: 'facts'}, fact(t.size, say(t.sizeOf, {height, width})), fact(t.colour, channels === 3 ? t.rgb : t.grey),
    fact(t.count, images ? short(images, 9) : t.unknown), fact(t.classes, all));
}

// The file whose name differs by "labels-idx1" alone.
function labelsOf(path, labels) {
  const wanted = path.replace(/images([-.])idx\d/, 'labels$1idx1').replace(/\.gz$/, '');
  return labels.map((one) => one.path).find((one) => one !== path && one.replace(/\.gz$/, '') === wanted) || '';
}

// What the reader is told; an empty field is not said.
function readingForm(path, reading, labels, onchange) {
  const isFolder = !/(ubyte|\.idx|\.bin)(\.gz)?$/.test(path), isIdx = /(ubyte|\.idx)(\.gz)?$/.test(path);
  const list = el('datalist', {id: 'labels-list'}, labels.map((one) => el('option', {value: one.path})));
  const labelsField = el('input', {type: 'text', list: 'labels-list', spellcheck: 'false', value: reading.labels || (Object.keys(reading).length > 1 ? '' : labelsOf(path, labels)), onchange});
  const classes = el('input', {type: 'number', min: 1, max: 1000, value: reading.classes || '', onchange});
  const size = el('input', {type: 'text', placeholder: '28x28', value: reading.size || '', onchange});
  const flags = {balanced: Boolean(reading.balanced), grey: Boolean(reading.grey), resize: Boolean(reading.resize)};
  const flag = (name, text) => ticked(text, flags[name], (on) => { flags[name] = on; onchange(); });
  const node = el('div', {}, list, el('div', {class: 'grid'}, isIdx ? labelled(t.labels, labelsField, t.labelsHint) : null,
    isFolder ? null : labelled(t.classesLabel, classes, t.classesHint), isFolder ? labelled(t.sizeLabel, size, t.sizeHint) : null),
    el('div', {class: 'row'}, flag('balanced', t.balanced), isFolder ? [flag('grey', t.readGrey), flag('resize', t.resize)] : null));
  const said = () => {
    const all = {labels: isIdx ? labelsField.value.trim() : '', classes: isFolder ? '' : classes.value, size: isFolder ? size.value.trim() : '', ...flags};
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '' && value !== false));
  };
  return {node, said};
}

export async function imagesStep(content, path, data) {
  const trouble = el('div'), facts = el('div', {role: 'status'}, factList(data));
  const {labels} = await get('files');
  const send = (only) => post('data', {path, kind: 'images', reading: form.said(), try: only});
  const look = () => attempt(trouble, async () => facts.replaceChildren(factList(await send(true))));
  const form = readingForm(path, data.reading, labels, look);
  const keep = button(t.keep, () => attempt(trouble, async () => {
    await send(false);
    announce(t.kept);
    go('budget', path);
  }, keep), {main: true});
  content.append(...stepHead(path, t.title, t.intro), facts, form.node, trouble, actions(keep));
  if (form.said().labels && !data.reading.labels) await look();
}

// ---- real images: NOT PRIVATE ----

// Unzips what begins as gzip, as far as it goes: it may be the beginning of a file alone.
async function plain(buffer) {
  const bytes = new Uint8Array(buffer), parts = [];
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) parts.push(piece.value);
  } catch {
    // Its end is not here.
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// Pixels of image i at channel c: IDX keeps channels together, CIFAR planes.
function idxImages(bytes) {
  const view = new DataView(bytes.buffer), sizes = Array.from({length: bytes[3]}, (_, i) => view.getUint32(4 + 4 * i));
  const [, height, width, channels = 1] = sizes, begin = 4 + 4 * bytes[3], each = height * width * channels;
  return {height, width, channels, count: Math.floor((bytes.length - begin) / each), label: null,
    at: (i, p, c) => bytes[begin + i * each + p * channels + c]};
}

function cifarImages(bytes, classes) {
  const marks = classes === 100 || classes === 20 ? 2 : 1, each = 3072 + marks;
  return {height: 32, width: 32, channels: 3, count: Math.floor(bytes.length / each), label: (i) => bytes[i * each + (classes === 100 ? 1 : 0)],
    at: (i, p, c) => bytes[i * each + marks + 1024 * c + p]};
}

function drawRow(images, numbers, words) {
  const {width, height, channels} = images;
  const canvas = el('canvas', {width: numbers.length * (width + 2), height, class: 'pixels', role: 'img', 'aria-label': words});
  const context = canvas.getContext('2d'), picture = context.createImageData(canvas.width, height);
  numbers.forEach((number, k) => {
    for (let p = 0; p < width * height; p++) {
      const place = 4 * (Math.floor(p / width) * canvas.width + k * (width + 2) + p % width);
      for (let c = 0; c < 3; c++) picture.data[place + c] = images.at(number, p, channels === 3 ? c : 0);
      picture.data[place + 3] = 255;
    }
  });
  context.putImageData(picture, 0, 0);
  return canvas;
}

async function decoded(path, facts, reading) {
  const ask = (labels) => postForAnswer('real-images', {path, label: 'NOT PRIVATE', labels});
  const found = await ask(false);
  if (found.type.startsWith('application/json')) return gallery(JSON.parse(new TextDecoder().decode(found.buffer)).images);
  const bytes = await plain(found.buffer);
  const images = /\.bin(\.gz)?$/.test(path) || bytes[2] !== 8 ? cifarImages(bytes, facts.classes) : idxImages(bytes);
  const labels = reading.labels ? (await plain((await ask(true)).buffer)).subarray(8) : null;
  const classOf = labels ? (i) => labels[i] : images.label || (() => 0);
  const rows = Array.from({length: Math.min(MOST_CLASSES, facts.classes || 1)}, () => []);
  for (let i = 0; i < images.count; i++) {
    const row = rows[classOf(i)] || (facts.classes ? null : rows[0]);
    if (row && row.length < MOST_OF_CLASS) row.push(i);
  }
  return rows.map((numbers, k) => numbers.length === 0 ? null : el('div', {class: 'pictures'}, facts.classes ? el('span', {class: 'quiet'}, facts.names[k] || String(k)) : null,
    drawRow(images, numbers, say(t.realRow, {name: facts.classes ? facts.names[k] || k : ''}))));
}

// Files of pictures, as they are.
function gallery(images) {
  const names = [...new Set(images.map((one) => one.class))];
  return names.map((name) => el('div', {class: 'pictures'}, name ? el('span', {class: 'quiet'}, name) : null,
    images.filter((one) => one.class === name).map((one) => el('img', {class: 'pixels', alt: say(t.realRow, {name}), src: `data:${one.type};base64,${one.data}`}))));
}

export function realImages(path) {
  const shown = el('div'), trouble = el('div');
  const hide = () => shown.replaceChildren(el('div', {class: 'row'}, ask, el('span', {}, t.realHint)), trouble);
  const ask = button(t.real, () => attempt(trouble, async () => {
    const {facts, reading} = await get('data', {path});
    shown.replaceChildren(el('p', {class: 'not-private'}, t.realBanner), ...(await decoded(path, facts, reading)).filter(Boolean), el('div', {class: 'row'}, button(t.hide, hide)));
  }, ask));
  hide();
  return el('details', {class: 'real-rows'}, el('summary', {}, t.realTitle), shown);
}
