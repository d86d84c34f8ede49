// SPDX-License-Identifier: Apache-2.0
// Small histograms: one path for the bars, one for their error bars.
import {texts, say} from './texts.js';
import {el, svg, short} from './tools.js';

const t = texts.histogram;
const WIDTH = 200, HEIGHT = 60;
const MOST_ROWS = 20000; // that the server reads

// Says so where not all rows were read.
export const firstRows = (rows) => (rows >= MOST_ROWS ? el('span', {class: 'sub'}, say(t.first, {rows: short(rows, 9)})) : null);

const box = (x, y, width, height) => `M${x.toFixed(2)} ${y.toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}h${(-width).toFixed(2)}z`;

// shares: of the rows in each bar; low, high: their intervals, if there are any
export function histogram({name, labels, shares, low, high}, words) {
  const most = Math.max(...shares), scale = HEIGHT / (Math.max(most, ...(high || [])) || 1), step = WIDTH / shares.length;
  const bars = shares.map((share, i) => box(i * step, HEIGHT - share * scale, step * 0.85, share * scale)).join('');
  const whiskers = !high ? '' : high.map((end, i) =>
    `M${((i + 0.425) * step).toFixed(2)} ${(HEIGHT - end * scale).toFixed(2)}V${(HEIGHT - low[i] * scale).toFixed(2)}`).join('');
  const label = say(words, {name, label: labels[shares.indexOf(most)]});
  return svg('svg', {class: 'histogram', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
    svg('path', {d: bars, class: 'fill-run'}), whiskers ? svg('path', {d: whiskers, class: 'whisker'}) : null);
}
