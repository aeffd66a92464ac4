/** How is an experiment shown? A Markdown page with the table of the paper, the claims, and what was run. */
import type { Experiment } from './experiment-file.ts';
import type { Cell, ExperimentResults } from './results.ts';

/** What was run, for the end of the page. */
export type ExperimentRunFacts = { readonly node: string; readonly platform: string; readonly cpu: string; readonly minutes: number };

const SIGNIFICANT = 0.05;

/** The page. `plotFile` is the plot's name beside it, or null. */
export function experimentReport(experiment: Experiment, results: ExperimentResults, { facts, plotFile }: { readonly facts: ExperimentRunFacts; readonly plotFile: string | null }): string {
  const { title, source, about, rows, tasks, seeds, reference, claims } = experiment;
  const lines = [
    `# ${title}`,
    '',
    `${source}. ${about}`,
    '',
    ...table(experiment, results),
    '',
    `Means over ${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'} (${seeds.join(', ')}), in brackets the 95 % interval (seeds and questions drawn again). **Bold**: best of its column. * differs from "${labelOf(experiment, reference)}" with p < ${SIGNIFICANT} (paired randomisation test, Holm's correction over ${results.cells.filter(({ difference }) => difference !== null).length} comparisons).`,
    '',
  ];
  if (plotFile !== null) lines.push(`![${title}](${plotFile})`, '');
  if (claims.length > 0) {
    lines.push('## What the paper says, and what was found', '', '| claim | difference | 95 % interval | at this scale |', '| --- | --- | --- | --- |');
    for (const claim of results.claims) lines.push(`| ${claim.text} | ${signed(claim.difference)} | ${signed(claim.interval.low)} to ${signed(claim.interval.high)} | ${claim.verdict} |`);
    const missing = claims.length - results.claims.length;
    if (missing > 0) lines.push('', `${missing} ${missing === 1 ? 'claim is' : 'claims are'} not judged yet: rows are missing.`);
    lines.push('');
  }
  lines.push('## What was run', '', `${rows.length} rows, ${tasks.length} tasks, ${facts.minutes.toFixed(1)} minutes; Node ${facts.node}, ${facts.platform}, ${facts.cpu}.`, '');
  return lines.join('\n');
}

function table(experiment: Experiment, { cells }: ExperimentResults): string[] {
  const { rows, tasks } = experiment;
  const cellOf = (row: string, task: string): Cell | undefined => cells.find((cell) => cell.row === row && cell.task === task);
  const best = new Map(tasks.map(({ name }) => [name, Math.max(...cells.filter(({ task }) => task === name).map(({ mean }) => mean))]));
  const shown = (row: string, task: string): string => {
    const cell = cellOf(row, task);
    if (cell === undefined) return 'not run';
    const value = cell.mean.toFixed(3);
    const mark = cell.difference !== null && cell.difference.corrected < SIGNIFICANT ? '*' : '';
    return `${cell.mean === best.get(task) ? `**${value}**` : value}${mark} [${cell.interval.low.toFixed(3)}, ${cell.interval.high.toFixed(3)}]`;
  };
  const average = (row: string): string => {
    const own = tasks.flatMap(({ name }) => cellOf(row, name)?.mean ?? []);
    return own.length < tasks.length ? 'not run' : (own.reduce((sum, value) => sum + value, 0) / own.length).toFixed(3);
  };
  const many = tasks.length > 1;
  return [
    `| | ${tasks.map((task) => `${task.name} (${task.kind === 'retrieval' ? task.metric : 'accuracy'})`).join(' | ')} |${many ? ' average |' : ''}`,
    `| --- |${' --- |'.repeat(tasks.length + (many ? 1 : 0))}`,
    ...rows.map(({ name }) => `| ${labelOf(experiment, name)} | ${tasks.map((task) => shown(name, task.name)).join(' | ')} |${many ? ` ${average(name)} |` : ''}`),
  ];
}

/** What the paper calls a row. */
export function labelOf(experiment: Experiment, row: string): string {
  return experiment.rows.find(({ name }) => name === row)?.label ?? row;
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(3)}`;
}
