// SPDX-License-Identifier: Apache-2.0
// Privacy: epsilon in words and as a picture, the ledger as a bar, and the plan of the first release.
import {texts, say} from './texts.js';
import {el, svg, get, post, button, labelled, attempt, later, short, sizeText, announce, go, rootOf, warningLine, mendLink, stepHead, headRow, tableBox, actions, failure, Refused} from './tools.js';
import {methodForm} from './methods.js';

const t = texts.budget;
const LOWEST = 0.05, HIGHEST = 16; // of the slider, which is even in the logarithm
const WORDS_TO = [0.3, 1, 3, 8]; // epsilons at which the words change

const toSlider = (epsilon) => 1000 * Math.log(epsilon / LOWEST) / Math.log(HIGHEST / LOWEST);
const fromSlider = (value) => Number((LOWEST * (HIGHEST / LOWEST) ** (value / 1000)).toPrecision(2));

function bar(label, ...children) {
  return svg('svg', {class: 'bar', viewBox: '0 0 1000 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': label}, children);
}

const block = (x, width, kind) => svg('rect', {x: x.toFixed(1), y: 0, width: Math.max(0, width).toFixed(1), height: 40, class: kind});

function key(kind, text) {
  return el('li', {}, svg('svg', {viewBox: '0 0 10 10', 'aria-hidden': 'true'}, svg('rect', {width: 10, height: 10, class: kind})), text);
}

// ---- what epsilon means ----

// words: the promise, by what is protected
function meaning(chance, words) {
  const percent = short(100 * chance, 3);
  return el('div', {}, el('p', {}, say(words, {percent})),
    bar(say(t.chance, {percent}), block(0, 2000 * (chance - 0.5), 'fill-chance')),
    el('ul', {class: 'legend ends'}, el('li', {}, t.coin), el('li', {}, t.sure)));
}

// ---- the ledger ----

// mu: of this run, null where the server has not said it yet. The ledger refuses by mu, exactly.
// Without a limit the bar is empty: nothing says how much would fill it.
function ledgerBar(ledger, epsilon, mu) {
  const spent = ledger ? ledger.spent : 0; // null: no finite epsilon
  const limit = ledger && Number.isFinite(Number(ledger.limit)) ? Number(ledger.limit) : null;
  const over = mu !== null && ledger !== null && ledger.mu_left !== null && mu > ledger.mu_left * (1 + 1e-9);
  const limitText = limit === null ? t.noLimit : say(t.limit, {epsilon: short(limit)});
  const used = spent ?? limit ?? 0, full = Math.max(limit ?? 0, used + epsilon) || 1;
  const blocks = limit === null ? [] : [block(0, 1000 * used / full, 'fill-spent'), block(1000 * used / full, 1000 * epsilon / full, over ? 'fill-over' : 'fill-run'),
    svg('line', {x1: (1000 * limit / full).toFixed(1), x2: (1000 * limit / full).toFixed(1), y1: 0, y2: 40, class: 'stroke'})];
  const line = (kind, text) => (limit === null ? el('li', {}, text) : key(kind, text));
  return el('div', {},
    ledger ? null : el('p', {}, t.ledgerNone),
    bar(say(t.barLabel, {spent: short(spent), run: short(epsilon), limit: limitText}), ...blocks),
    el('ul', {class: 'legend'}, line('fill-spent', say(t.spent, {epsilon: short(spent)})),
      line(over ? 'fill-over' : 'fill-run', say(t.thisRun, {epsilon: short(epsilon)})), el('li', {}, limitText)),
    over ? el('p', {class: 'bad'}, t.left) : null,
    el('p', {class: 'quiet'}, limit === null ? t.noBar : t.addUp));
}

function limitForm(path, onset) {
  const trouble = el('div');
  const input = el('input', {type: 'number', min: '0', step: 'any'});
  const set = button(t.setLimitButton, () => attempt(trouble, async () => {
    const {ledger} = await post('limit', {path, epsilon: Number(input.value)});
    announce(t.limitSet);
    onset(ledger);
  }, set));
  return el('details', {}, el('summary', {}, t.setLimit), el('div', {class: 'row'}, labelled(t.setLimitLabel, input, t.setLimitHint)), el('div', {class: 'row'}, set), trouble);
}

// ---- the plan ----

// How far off the synthetic table will be, by noise alone; methods other than those of tables of counts do not say.
function expectedList({expected_error: e}) {
  if (!e) return null;
  const percent = (value) => short(100 * value, 2);
  const lines = [say(t.expectedColumn, {column: percent(e.column)}),
    e.pair ? say(t.expectedPair, {least: percent(e.pair_least), most: percent(e.pair)}) : say(t.expectedPairLeast, {least: percent(e.pair_least)})];
  if (e.label) lines.push(say(t.expectedLabel, {label: percent(e.label)}));
  if (e.hidden >= 1) lines.push(e.label ? t.expectedButLabel : t.expectedAlone);
  else if (e.hidden > 0) lines.push(say(t.expectedHidden, {hidden: percent(e.hidden)}));
  return el('section', {class: 'expected'}, el('h2', {}, t.expected), el('p', {class: 'quiet'}, t.expectedHint), el('ul', {}, lines.map((line) => el('li', {}, line))));
}

// Which relations can be told from noise, where a person's rows belong together.
function relationsList({expected_relations: e}) {
  if (!e) return null;
  const lines = [['person', t.relationPerson], ['row', t.relationRow], ['above', t.relationAbove], ['previous', t.relationPrevious]]
    .filter(([kind]) => e[kind]).map(([kind, words]) => say(words, {hidden: short(100 * e[kind], 2)}));
  if (e.possible < e.measured) lines.unshift(say(t.relationsPossible, {possible: e.possible, measured: e.measured}));
  return el('section', {class: 'expected'}, el('h2', {}, t.relations), el('p', {class: 'quiet'}, t.relationsHint), el('ul', {}, lines.map((line) => el('li', {}, line))));
}

// What speaks against this plan, before anything is spent.
const warningList = ({warnings = []}) => warnings.map(warningLine);

function planTime(plan) {
  if (!plan.estimate) return [el('p', {class: 'quiet'}, t.planTiming)];
  return [el('p', {class: 'quiet'}, say(plan.rounds === 1 ? t.planTimeOne : t.planTime, {seconds: short(Math.max(1, plan.estimate.reading_seconds + plan.estimate.fitting_seconds), 2),
    bytes: sizeText(plan.estimate.bytes), rounds: plan.rounds})),
  plan.training ? el('p', {class: 'quiet'}, say(t.planDevice, {device: plan.training.device === 'cpu' ? t.planProcessor : plan.training.device}),
    plan.training.why ? ' ' + say(t.planWhy, {why: plan.training.why}) : null) : null];
}

const blockTable = (heads, rows) => tableBox(el('table', {}, headRow(heads.map((text, i) => ({text, class: i ? 'number' : null}))),
  el('tbody', {}, rows.map(([name, ...numbers]) => el('tr', {}, el('th', {scope: 'row'}, name), numbers.map((one) => el('td', {class: 'number'}, one)))))), t.plan);

function planTable({plan}) {
  const rows = plan.blocks;
  const first = rows.find((one) => one.noise_deviation > 0 && !one.of.includes(' + ')) || rows.find((one) => one.noise_deviation > 0);
  const group = plan.n >= 2000 ? 500 : Math.max(1, Number((plan.n / 4).toPrecision(1)));
  return el('div', {},
    first ? el('p', {}, say(t.planWords, {group, of: first.of, noise: '± ' + short(1.96 * first.noise_deviation, 2)})) : null,
    blockTable([t.planOf, t.planValues, t.planNoise], rows.slice(0, 60).map((one) => [one.of, short(one.values, 6), '± ' + short(1.96 * one.noise_deviation, 2)])));
}

// Sums of features of images: their noise beside what they are like to be.
function imagePlan({plan}) {
  return el('div', {}, el('p', {}, say(t.planImages, {method: plan.method, count: short(plan.n, 9)})),
    blockTable([t.planSums, t.planNumbers, t.planRelative],
      plan.blocks.map((one) => [t.blocks[one.name] || one.name, short(one.values, 6), short(one.noise_share, 2)])));
}

// ---- the step ----

export async function budgetStep(context, {subject, flag}) {
  const {content, alive} = context;
  const discover = flag === 'discover';
  const {kind, ledger: ledgerPath, facts} = await get('data', {path: subject});
  const {schema, rows_about: rowsAbout} = kind === 'table' ? await get('schema', {path: subject}) : {};
  const persons = Boolean(schema?.semblance?.unit), table = kind === 'package' ? rootOf(facts.resources) : '';
  const promise = say(t.promises[kind === 'images' ? 'image' : kind === 'package' ? 'root' : persons ? 'person' : 'row'], {table});
  const estimated = rowsAbout ? el('p', {class: 'not-private'}, t.rowsEstimated) : '';
  if (kind === 'table' && !schema && !discover) return go('columns', subject);
  let {ledger} = await get('ledger', {path: ledgerPath});
  const [means, bars, expected, plan, time, trouble] = [el('div', {role: 'status'}), el('div'), el('div'), el('div'), el('div', {role: 'status'}), el('div')];
  const mend = (error) => mendLink(error, subject);
  const words = el('p', {class: 'hint'});
  const slider = el('input', {type: 'range', min: 0, max: 1000, step: 1, value: toSlider(1), 'aria-label': t.epsilon, oninput: () => set(fromSlider(slider.value))});
  const number = el('input', {type: 'number', min: '0', step: 'any', value: 1, onchange: () => set(Number(number.value), true)});
  const rows = el('input', {type: 'number', min: '1', step: '1', value: rowsAbout?.rows || 10000, onchange: () => {
    if (rowsAbout) estimated.remove(); // it is what was typed now
    ask();
  }});
  const title = el('input', {type: 'text', maxlength: 200, onchange: () => ask()}), by = el('input', {type: 'text', maxlength: 200, autocomplete: 'name'});
  let turn = 0;

  function set(epsilon, typed = false) {
    if (!(epsilon > 0)) return;
    if (!typed) number.value = epsilon;
    else slider.value = toSlider(epsilon);
    words.textContent = t.words[WORDS_TO.filter((one) => epsilon > one).length];
    slider.setAttribute('aria-valuetext', `${epsilon}: ${words.textContent}`);
    bars.replaceChildren(ledgerBar(ledger, epsilon, null));
    ask();
  }

  function planned() {
    const body = {epsilon: Number(number.value), title: title.value || undefined};
    return kind === 'images' ? {path: subject, ...body, ...form.planned()} : kind === 'package' ? {path: subject, ...body, rows: Number(rows.value)}
      : {schema, rows: Number(rows.value), ...body, ...form.planned()};
  }

  // What a run takes is rehearsed, for seconds of a processor: only where nothing is changed any more, and beside what is shown at once.
  async function answerTo(name, body, mine, show) {
    try {
      const answer = await post(name, body);
      if (mine === turn && alive()) show(answer);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (mine === turn) time.replaceChildren(failure(error, mend(error)));
    }
  }

  const showPlan = (answer) => {
    plan.replaceChildren(kind === 'images' ? imagePlan(answer) : planTable(answer));
    time.replaceChildren(...planTime(answer.plan).filter(Boolean));
  };

  const rehearse = later((mine) => mine === turn && alive() && answerTo('plan', planned(), mine, showPlan), 500);

  const askNow = later((mine) => answerTo(discover ? 'promise' : 'plan', discover ? {epsilon: Number(number.value)} : {...planned(), estimate: false}, mine, (answer) => {
    means.replaceChildren(meaning(answer.right_at_most, promise));
    bars.replaceChildren(ledgerBar(ledger, Number(number.value), answer.mu));
    if (discover) return time.replaceChildren(el('p', {class: 'quiet'}, t.planDiscover));
    expected.replaceChildren(...warningList(answer.plan), expectedList(answer.plan) ?? '', relationsList(answer.plan) ?? '');
    showPlan(answer);
    rehearse(mine);
  }), 250);

  const ask = () => askNow(++turn);

  const start = button(t.starts[kind], () => attempt(trouble, async () => {
    const {run} = await post('run', {path: subject, epsilon: Number(number.value), title: title.value || undefined, by: by.value || undefined, discover, ...form.said()});
    go('run', run);
  }, start, mend), {main: true});
  const form = await methodForm(kind, [labelled(t.runTitle, title, t.runTitleHint), labelled(t.by, by, t.byHint)], () => ask());

  content.append(...stepHead(subject, t.title, t.intro), discover ? '' : estimated,
    el('div', {class: 'epsilon'}, labelled(t.epsilon, number, ''), el('div', {}, slider, words)), means, expected,
    discover || kind === 'images' ? '' : kind === 'package' ? labelled(say(t.persons, {table}), rows, t.personsHint) : labelled(t.rows, rows, persons ? t.rowsHintPersons : t.rowsHint),
    el('h2', {}, t.ledger), bars, limitForm(subject, (now) => { ledger = now; set(Number(number.value)); }),
    discover ? '' : el('details', {}, el('summary', {}, t.plan), el('p', {}, kind === 'images' ? t.planHintImages : t.planHint), plan),
    form.node, time, trouble, actions(start));
  set(1);
  return flag === 'epsilon' ? number : null;
}
