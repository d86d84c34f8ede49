// Small histograms: one path for the bars, one for their error bars.
import {texts, say} from './texts.js';
import {el, svg, short} from './tools.js';

const t = texts.histogram;
const WIDTH = 200, HEIGHT = 60;
const MOST_ROWS = 20000; // that the server reads

// Says so where not all rows were read.
export const firstRows = (rows) => (rows >= MOST_ROWS ? el('span', {class: 'sub'}, say(t.first, {rows: short(rows, 9)})) : null);

const box = (x, y, width, height) => `M${x.toFixed(2)} ${y.toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}h${(-width).toFixed(2)}z`;

// shares: of the rows in each bar; error: of each share, 0: none
export function histogram({name, labels, shares}, words, error = 0) {
  const most = Math.max(...shares), scale = HEIGHT / ((most + error) || 1), step = WIDTH / shares.length;
  const bars = shares.map((share, i) => box(i * step, HEIGHT - share * scale, step * 0.85, share * scale)).join('');
  const whiskers = error === 0 ? '' : shares.map((share, i) => {
    const x = (i + 0.425) * step, top = HEIGHT - (share + error) * scale, end = HEIGHT - Math.max(0, share - error) * scale;
    return `M${x.toFixed(2)} ${top.toFixed(2)}V${end.toFixed(2)}`;
  }).join('');
  const label = say(words, {name, label: labels[shares.indexOf(most)]});
  return svg('svg', {class: 'histogram', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
    svg('path', {d: bars, class: 'fill-run'}), error === 0 ? null : svg('path', {d: whiskers, class: 'whisker'}));
}

// The counts of single columns that were released, by the certificate: which columns, how many counts, and the deviation of their noise.
function releasedCounts(certificate) {
  return certificate.mechanisms.flatMap(({mechanism, k, blocks}) => (mechanism !== 'discrete-gaussian' ? [] : blocks.filter((one) => one.of && one.columns === 1)
    .map((one) => ({names: one.of.split(' + '), cells: one.width, deviation: 2 ** k / Number(one.multiplier)}))));
}

// What the noise did to the histogram of a column: error of a share, 0 where the releases do not say it, and words.
// Bars have error bars where each of them is one count that was released.
export function noiseOf(name, columns, certificate) {
  const n = certificate.guarantee.n, known = new Map(columns.map((one) => [one.name, one.shares.length]));
  const mine = releasedCounts(certificate).filter((one) => one.names.includes(name) && one.names.every((other) => known.has(other))).sort((a, b) => a.deviation - b.deviation)[0];
  if (!mine) return {error: 0, words: t.none};
  if (!(n > 0)) return {error: 0, words: t.unknownRows};
  const noise = 1.96 * mine.deviation, shown = mine.names.reduce((sum, one) => sum + known.get(one), 0);
  if (shown === mine.cells) return {error: noise / n, words: say(t.bars, {noise: short(100 * noise / n, 2)})};
  return {error: 0, words: say(mine.names.length === 1 ? t.finer : t.finerShared, {cells: mine.cells, noise: short(noise, 2)})};
}
