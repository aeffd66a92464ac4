/** What does an experiment say that cannot be, though each part alone may be written so? */
import type { ExperimentDraft } from './experiment-schema.ts';
import { tasksOfRow, usedRow, type ExperimentRow, type RowKind } from './rows.ts';

/** Rows whose model others can use. */
const HAS_MODEL: ReadonlySet<RowKind> = new Set(['recipe', 'search', 'backbone', 'untrained', 'calibrated', 'clwe', 'clse']);
/** Rows that are a trained model themselves. */
const IS_TRAINED: ReadonlySet<RowKind> = new Set(['recipe']);

/** Every contradiction, with the place and what was expected and found. */
export function contradictions(experiment: ExperimentDraft): readonly string[] {
  const { rows, tasks, development, claims, reference, averages, plot } = experiment;
  const problems: string[] = [];
  const rowNames = rows.map(({ name }) => name);
  const taskNames = tasks.map(({ name }) => name);
  for (const [what, names] of [['rows', rowNames], ['tasks', taskNames], ['development', development.map(({ name }) => name)]] as const) {
    const twice = names.filter((entry, i) => names.indexOf(entry) !== i);
    if (twice.length > 0) problems.push(`"${what}": expected each name once, found "${twice.join('", "')}" again`);
  }
  const known = (where: string, wanted: string, names: readonly string[]): void => {
    if (!names.includes(wanted)) problems.push(`"${where}": expected one of ${names.join(', ')}, found "${wanted}"`);
  };
  const measured = rows.filter(({ kind }) => kind !== 'reported').map(({ name }) => name);
  if (measured.length === 0) problems.push('"rows": expected a row that is run, found only reported ones');
  if (reference !== undefined) known('reference', reference, measured);
  claims.forEach((entry, i) => {
    known(`claims/${i}/better`, entry.better, measured);
    known(`claims/${i}/than`, entry.than, measured);
    for (const one of entry.tasks ?? []) known(`claims/${i}/tasks`, one, taskNames);
  });
  averages?.forEach((entry, i) => { entry.tasks.forEach((one) => { known(`averages/${i}/tasks`, one, taskNames); }); });
  plot?.lines.forEach((line) => { known('plot/lines', line, rowNames); });
  rows.forEach((row, i) => { problems.push(...wrongRow(row, i, experiment)); });
  return problems;
}

function wrongRow(row: ExperimentRow, i: number, { rows, tasks, development, plot }: ExperimentDraft): readonly string[] {
  const problems: string[] = [];
  const used = usedRow(row);
  if (used !== null) {
    const fits = row.kind === 'search' || row.kind === 'untrained' || row.kind === 'recipe' ? IS_TRAINED : HAS_MODEL;
    const names = rows.filter((other) => other.name !== row.name && fits.has(other.kind)).map(({ name }) => name);
    if (!names.includes(used)) problems.push(`"rows/${i}": expected the name of a row that ${fits === IS_TRAINED ? 'is trained' : 'has a model'} (${names.join(', ') || 'there is none'}), found "${used}"`);
    else if (isCircle(row, rows)) problems.push(`"rows/${i}": expected rows that do not use each other in a circle, found "${row.name}" again behind "${used}"`);
  }
  if (row.kind === 'phrases' && (row.of === undefined) === (row.backbone === undefined)) problems.push(`"rows/${i}": expected either "of" or "backbone", found ${row.of === undefined ? 'neither' : 'both'}`);
  const chooses = (row.kind === 'bm25' && row.tuned) || (row.kind === 'recipe' && row.variants !== undefined);
  if (chooses && !development.some(({ kind }) => tasksOfRow[row.kind].includes(kind))) problems.push(`"rows/${i}": a setting is chosen on development tasks: expected some under "development" that this row can take part in, found none`);
  if (row.kind !== 'reported' && !tasks.some(({ kind }) => tasksOfRow[row.kind].includes(kind))) problems.push(`"rows/${i}": a row of kind "${row.kind}" can take part in tasks of kind ${tasksOfRow[row.kind].join(', ')}, found none of them`);
  if (row.kind === 'reported') for (const task of Object.keys(row.values)) if (!tasks.some(({ name }) => name === task)) problems.push(`"rows/${i}/values": expected names of tasks, found "${task}"`);
  if (plot !== undefined && row.series !== undefined && row.x === undefined) problems.push(`"rows/${i}": expected "x", its place in the plot, found nothing`);
  return problems;
}

function isCircle(row: ExperimentRow, rows: readonly ExperimentRow[]): boolean {
  const seen = new Set<string>([row.name]);
  for (let next = usedRow(row); next !== null; ) {
    if (seen.has(next)) return true;
    seen.add(next);
    const other = rows.find(({ name }) => name === next);
    next = other === undefined ? null : usedRow(other);
  }
  return false;
}
