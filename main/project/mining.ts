/** What was mined in a project, what was decided of each candidate, and how do accepted pairs become a corpus? */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder, readJson, writeFileAtomic, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError, toIsoglossError } from '../../core/base/errors.ts';
import { minedDecisionSchema, mineTextSchema, type MinedLevel, type MinedPair, type MinedShow, type Mining } from '../contract/index.ts';
import { appendLines, readLines } from './appended-lines.ts';

/** `candidates`: how many there are; null in minings of before 2026-11-20. */
const factsSchema = z.object({ id: z.string(), source: mineTextSchema, target: mineTextSchema, at: z.number(), proposed: z.number(), corpusId: z.string().nullable(), candidates: z.number().nullable().default(null) });
export type MiningFacts = z.infer<typeof factsSchema>;
type Candidate = { readonly source: string; readonly target: string; readonly score: number };
/** Checked by hand: there may be 100,000, and this runs where the window is answered. */
const candidatesSchema = z.custom<readonly Candidate[]>((found) => Array.isArray(found) && found.every(isCandidate), 'expected candidates with two sentences and a score');
/** By hand, too: one press may accept 100,000. */
const pairsSchema = z.custom<readonly number[]>((found) => Array.isArray(found) && found.every((pair) => Number.isSafeInteger(pair) && pair >= 0), 'expected numbers of pairs');
const decisionSchema = z.object({ pairs: pairsSchema, decision: minedDecisionSchema.nullable() });
/** A line of the file: a decision, or that the last one that still counts is taken back. */
const decisionLineSchema = z.union([decisionSchema, z.object({ undo: z.literal(true) })]);
type Decision = z.infer<typeof minedDecisionSchema>;
type DecisionLine = z.infer<typeof decisionSchema>;

/** Where a mining lies: facts, candidates (never changed), decisions (appended). */
export function miningPaths(projectFolder: string, id: string): { readonly folder: string; readonly facts: string; readonly candidates: string; readonly decisions: string } {
  const folder = join(projectFolder, 'mining', id);
  return { folder, facts: join(folder, 'mining.json'), candidates: join(folder, 'candidates.json'), decisions: join(folder, 'decisions.jsonl') };
}

export async function writeMiningFacts(projectFolder: string, facts: MiningFacts): Promise<void> {
  await makeFolder(miningPaths(projectFolder, facts.id).folder);
  await writeJsonAtomic(miningPaths(projectFolder, facts.id).facts, facts);
}

/** Newest first; one that was not finished is not shown. */
export async function listMinings(projectFolder: string): Promise<readonly Mining[]> {
  const ids = await readdir(join(projectFolder, 'mining')).catch(() => []); // none yet
  const found = await Promise.all(ids.map((id) => readDecided(projectFolder, id).then(({ mining }) => mining, () => null)));
  return found.filter((mining) => mining !== null).sort((a, b) => b.at - a.at);
}

type Decided = { readonly mining: Mining; readonly facts: MiningFacts; readonly decisions: ReadonlyMap<number, Decision>; readonly lines: readonly DecisionLine[] };
export type OpenMining = Decided & { readonly candidates: readonly Candidate[] };

/** A mining with its candidates. @throws InputError 'mine.unknown'. */
export async function readMining(projectFolder: string, id: string): Promise<OpenMining> {
  const decided = await readDecided(projectFolder, id);
  return { ...decided, candidates: await known(id, () => readCandidates(miningPaths(projectFolder, id).candidates)) };
}

/** What is known without the candidates themselves, of which there may be 100,000. */
async function readDecided(projectFolder: string, id: string): Promise<Decided> {
  return known(id, async () => {
    const paths = miningPaths(projectFolder, id);
    const facts = factsSchema.parse(await readJson(paths.facts));
    const { lines, decisions } = await readDecisions(paths.decisions);
    const count = (wanted: Decision): number => [...decisions.values()].filter((decision) => decision === wanted).length;
    const { candidates, ...said } = facts;
    return { mining: { ...said, candidates: candidates ?? (await readCandidates(paths.candidates)).length, accepted: count('accepted'), rejected: count('rejected'), undoable: lines.length }, facts, decisions, lines };
  });
}

type Decisions = Pick<Decided, 'lines' | 'decisions'>;
/** As long as the file is as it was, scrolling reads nothing; there may be 100,000 decisions. */
let lastDecisions: { readonly path: string; readonly sizeBytes: number; readonly modifiedAt: number; readonly found: Decisions } | null = null;

async function readDecisions(path: string): Promise<Decisions> {
  const facts = await stat(path).catch(() => null); // nothing decided yet
  if (facts === null) return { lines: [], decisions: new Map() };
  const [sizeBytes, modifiedAt] = [facts.size, facts.mtimeMs];
  if (lastDecisions?.path === path && lastDecisions.sizeBytes === sizeBytes && lastDecisions.modifiedAt === modifiedAt) return lastDecisions.found;
  const lines: DecisionLine[] = [];
  for (const line of await readLines(path, decisionLineSchema)) {
    if ('undo' in line) lines.pop();
    else lines.push(line);
  }
  const found = { lines, decisions: decisionsOf(lines) };
  lastDecisions = { path, sizeBytes, modifiedAt, found };
  return found;
}

function decisionsOf(lines: readonly DecisionLine[]): Map<number, Decision> {
  const decisions = new Map<number, Decision>();
  for (const { pairs, decision } of lines) {
    for (const pair of pairs) {
      if (decision === null) decisions.delete(pair);
      else decisions.set(pair, decision);
    }
  }
  return decisions;
}

/** Candidates never change, and a person looks at one mining at a time: the last one read is kept, so that scrolling reads nothing. */
let lastRead: { readonly path: string; readonly modifiedAt: number; readonly candidates: readonly Candidate[] } | null = null;

async function readCandidates(path: string): Promise<readonly Candidate[]> {
  const { mtimeMs } = await stat(path);
  if (lastRead === null || lastRead.path !== path || lastRead.modifiedAt !== mtimeMs) lastRead = { path, modifiedAt: mtimeMs, candidates: candidatesSchema.parse(await readJson(path)) };
  return lastRead.candidates;
}

async function known<T>(id: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    const error = toIsoglossError(thrown);
    if (error.family === 'environment') throw error;
    throw new InputError('mine.unknown', 'This mining is not there any more, or its files are damaged. Mine the two texts again.', { cause: thrown, data: { miningId: id } });
  }
}

function isCandidate(found: unknown): found is Candidate {
  return typeof found === 'object' && found !== null && 'source' in found && typeof found.source === 'string' && 'target' in found && typeof found.target === 'string' && 'score' in found && typeof found.score === 'number';
}

/** Some of the candidates that are to be looked at, best first, and how many of these there are. */
export function pairsOf({ candidates, decisions }: OpenMining, { show, from, count }: { readonly show: MinedShow; readonly from: number; readonly count: number }): { readonly pairs: readonly MinedPair[]; readonly shown: number } {
  const numbers = show === 'all' ? null : candidates.flatMap((_, pair) => ((decisions.get(pair) ?? 'undecided') === show ? [pair] : []));
  const wanted = numbers === null ? candidates.slice(from, from + count).map((_, at) => from + at) : numbers.slice(from, from + count);
  const pairs = wanted.flatMap((pair) => {
    const candidate = candidates[pair];
    return candidate === undefined ? [] : [{ ...candidate, pair, decision: decisions.get(pair) ?? null }];
  });
  return { pairs, shown: numbers?.length ?? candidates.length };
}

const HUNDREDTHS = 100;

/** How many candidates score at least k/100, for every k from the highest score down to the lowest; the highest level holds one at least. */
export function levelsOf({ candidates, decisions }: Pick<OpenMining, 'candidates' | 'decisions'>): readonly MinedLevel[] {
  const [first] = candidates;
  const last = candidates.at(-1);
  if (first === undefined || last === undefined) return [];
  const levels: MinedLevel[] = [];
  let [at, undecided] = [0, 0];
  for (let level = Math.floor(first.score * HUNDREDTHS); level >= Math.floor(last.score * HUNDREDTHS); level -= 1) {
    const atLeast = level / HUNDREDTHS;
    for (; at < candidates.length && (candidates[at]?.score ?? 0) >= atLeast; at += 1) if (!decisions.has(at)) undecided += 1;
    levels.push({ atLeast, candidates: at, undecided });
  }
  return levels;
}

/** Decides named pairs, or all without a decision that score at least so much. */
export async function decideMining(projectFolder: string, id: string, { which, decision }: { readonly which: { readonly kind: 'pairs'; readonly pairs: readonly number[] } | { readonly kind: 'at-least'; readonly score: number }; readonly decision: Decision | null }): Promise<Mining> {
  const { candidates, decisions } = await readMining(projectFolder, id);
  const chosen = which.kind === 'pairs' ? which.pairs.filter((pair) => pair < candidates.length) : candidates.flatMap(({ score }, pair) => (score >= which.score && !decisions.has(pair) ? [pair] : []));
  if (chosen.length > 0) await appendLines(miningPaths(projectFolder, id).decisions, [{ pairs: chosen, decision }]);
  return (await readDecided(projectFolder, id)).mining;
}

/** Takes the last decision back that still counts. @returns the first of its pairs, null when there is none. */
export async function undoMining(projectFolder: string, id: string): Promise<{ readonly mining: Mining; readonly pair: number | null }> {
  const { mining, lines } = await readDecided(projectFolder, id);
  const last = lines.at(-1);
  if (last === undefined) return { mining, pair: null };
  await appendLines(miningPaths(projectFolder, id).decisions, [{ undo: true }]);
  return { mining: (await readDecided(projectFolder, id)).mining, pair: last.pairs[0] ?? null };
}

/** Writes the accepted pairs as TSV among the project's texts. @returns its path. @throws InputError 'mine.none-accepted'. */
export async function writeAccepted(projectFolder: string, { candidates, decisions, facts }: OpenMining): Promise<string> {
  const accepted = candidates.filter((_, pair) => decisions.get(pair) === 'accepted');
  if (accepted.length === 0) throw new InputError('mine.none-accepted', 'Expected at least one accepted pair, found none. Accept the candidates that are translations.');
  const path = join(projectFolder, 'incoming', `mined-${facts.id}.tsv`);
  await makeFolder(join(projectFolder, 'incoming'));
  await writeFileAtomic(path, accepted.map(({ source, target }) => `${cell(source)}\t${cell(target)}\n`).join(''));
  return path;
}

/** Tabs would part a cell. */
const cell = (text: string): string => text.replace(/\s+/gu, ' ').trim();

export async function removeMining(projectFolder: string, id: string): Promise<void> {
  await readDecided(projectFolder, id);
  await rm(miningPaths(projectFolder, id).folder, { recursive: true, force: true });
}
