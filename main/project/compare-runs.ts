/** What differs between two trainings: settings, texts, figures, single questions? And which differences may be chance? */
import { holm } from '../../core/evaluation/experiments/results.ts';
import { comparePaired } from '../../core/metrics/significance.ts';
import type { MovedQuestion, RunComparison, RunRow } from '../contract/index.ts';
import type { QuestionSet, RunFile } from './runs.ts';

const SIGNIFICANT = 0.05;
const SEED = 20_261_120;
const MOVED_SHOWN = 10;
/** Reciprocal ranks count to here (MRR@100). */
const DEEPEST = 100;

/** The comparison of two run files; the test is over reciprocal ranks of meaning and words together, question by question. */
export function compareRunFiles(a: RunFile, b: RunFile): Pick<RunComparison, 'settings' | 'corpora' | 'rows' | 'better' | 'worse'> {
  const sets = (a.questions ?? []).flatMap((set) => {
    const other = b.questions?.find(({ question, language }) => question === set.question && language === set.language);
    return other === undefined ? [] : [pairUp(set, other)];
  });
  const compared = sets.map((set) => comparePaired({ a: set.pairs.map(({ a: rank }) => reciprocal(rank)), b: set.pairs.map(({ b: rank }) => reciprocal(rank)), seed: SEED }));
  const corrected = holm(compared.map(({ pValue }) => pValue));
  const rows = sets.map(({ a: own, b: other, pairs, alone }, i): RunRow => {
    const { difference = 0, interval = { low: 0, high: 0 }, pValue = 1, better = 0, worse = 0, equal = 0 } = compared[i] ?? {};
    const first = (pick: (pair: Pair) => number | null): number => (pairs.length === 0 ? 0 : pairs.filter((pair) => pick(pair) === 1).length / pairs.length);
    const isSure = (corrected[i] ?? 1) < SIGNIFICANT;
    return {
      question: own.question,
      language: own.language,
      shared: pairs.length,
      alone,
      documents: { a: own.documents, b: other.documents },
      first: { a: first((pair) => pair.a), b: first((pair) => pair.b) },
      difference,
      interval,
      pValue,
      corrected: corrected[i] ?? 1,
      better,
      worse,
      equal,
      verdict: !isSure ? 'chance' : difference > 0 ? 'better' : 'worse',
    };
  });
  const moved = sets.flatMap(({ a: own, pairs }) => pairs.map((pair) => ({ gain: reciprocal(pair.b) - reciprocal(pair.a), question: movedOf(own, pair) })));
  const ordered = (sign: 1 | -1): readonly MovedQuestion[] => moved.filter(({ gain }) => sign * gain > 0).sort((one, two) => sign * (two.gain - one.gain)).slice(0, MOVED_SHOWN).map(({ question }) => question);
  return { settings: differingSettings(a.recipe, b.recipe), corpora: differingCorpora(a, b), rows, better: ordered(1), worse: ordered(-1) };
}

type Pair = { readonly text: string; readonly a: number | null; readonly b: number | null };
type PairedSet = { readonly a: QuestionSet; readonly b: QuestionSet; readonly pairs: readonly Pair[]; readonly alone: RunRow['alone'] };

/** Questions of one wording, each with one of the other run. */
function pairUp(a: QuestionSet, b: QuestionSet): PairedSet {
  const open = new Map<string, (number | null)[]>();
  for (const { text, hybrid } of b.queries) open.set(text, [...(open.get(text) ?? []), hybrid]);
  const pairs = a.queries.flatMap(({ text, hybrid }): Pair[] => {
    const [rank, ...rest] = open.get(text) ?? [];
    if (rank === undefined) return [];
    open.set(text, rest);
    return [{ text, a: hybrid, b: rank }];
  });
  return { a, b, pairs, alone: { a: a.queries.length - pairs.length, b: b.queries.length - pairs.length } };
}

const reciprocal = (rank: number | null): number => (rank === null || rank > DEEPEST ? 0 : 1 / rank);
const shown = (rank: number | null): number | null => (rank !== null && rank > DEEPEST ? null : rank);

function movedOf({ question, language, queryLanguage }: QuestionSet, { text, a, b }: Pair): MovedQuestion {
  return { question, language, queryLanguage, text, rankA: shown(a), rankB: shown(b) };
}

type Json = RunFile['recipe'];
/** Texts are compared by name and amount. */
const OF_TEXTS = new Set(['retrieval', 'parallel', 'monolingual']);

function differingSettings(a: Json, b: Json): RunComparison['settings'] {
  const [one, two] = [new Map(leavesOf(a)), new Map(leavesOf(b))];
  return [...new Set([...one.keys(), ...two.keys()])].sort().flatMap((path) => (one.get(path) === two.get(path) ? [] : [{ path, a: one.get(path) ?? null, b: two.get(path) ?? null }]));
}

function leavesOf(value: Json, path = ''): readonly (readonly [string, string])[] {
  if (path === '' && typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value).flatMap(([key, inner]) => (OF_TEXTS.has(key) ? [] : leavesOf(inner, key)));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return path === '' ? [] : [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${path}.${key}`));
}

function differingCorpora(a: RunFile, b: RunFile): RunComparison['corpora'] {
  const names = [...new Set([...a.corpora, ...b.corpora].map(({ name }) => name))].sort();
  const records = ({ corpora }: RunFile, name: string): number | null => {
    const own = corpora.filter((corpus) => corpus.name === name);
    return own.length === 0 ? null : own.reduce((sum, corpus) => sum + corpus.records, 0);
  };
  return names.flatMap((name) => (records(a, name) === records(b, name) ? [] : [{ name, a: records(a, name), b: records(b, name) }]));
}
