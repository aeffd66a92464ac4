/** What was mined in a project, what was decided of each candidate, and how do accepted pairs become a corpus? */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder, readJson, writeFileAtomic, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError, toIsoglossError } from '../../core/base/errors.ts';
import { minedDecisionSchema, mineTextSchema, type MinedPair, type Mining } from '../contract/index.ts';
import { appendLines, readLines } from './appended-lines.ts';

const factsSchema = z.object({ id: z.string(), source: mineTextSchema, target: mineTextSchema, at: z.number(), proposed: z.number(), corpusId: z.string().nullable() });
export type MiningFacts = z.infer<typeof factsSchema>;
const candidatesSchema = z.array(z.object({ source: z.string(), target: z.string(), score: z.number() }));
const decisionsSchema = z.object({ pairs: z.array(z.number().int().nonnegative()), decision: minedDecisionSchema.nullable() });
type Decision = z.infer<typeof minedDecisionSchema>;

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
  const found = await Promise.all(ids.map((id) => readMining(projectFolder, id).then(({ mining }) => mining, () => null)));
  return found.filter((mining) => mining !== null).sort((a, b) => b.at - a.at);
}

export type OpenMining = { readonly mining: Mining; readonly facts: MiningFacts; readonly pairs: readonly MinedPair[] };

/** @throws InputError 'mine.unknown'. */
export async function readMining(projectFolder: string, id: string): Promise<OpenMining> {
  const paths = miningPaths(projectFolder, id);
  try {
    const facts = factsSchema.parse(await readJson(paths.facts));
    const candidates = candidatesSchema.parse(await readJson(paths.candidates));
    const decisions = new Map<number, Decision | null>();
    for (const { pairs, decision } of await readLines(paths.decisions, decisionsSchema)) for (const pair of pairs) decisions.set(pair, decision);
    const pairs = candidates.map((candidate, pair) => ({ ...candidate, pair, decision: decisions.get(pair) ?? null }));
    const count = (decision: Decision): number => pairs.filter((pair) => pair.decision === decision).length;
    return { mining: { ...facts, candidates: pairs.length, accepted: count('accepted'), rejected: count('rejected') }, facts, pairs };
  } catch (thrown) {
    const error = toIsoglossError(thrown);
    if (error.family === 'environment') throw error;
    throw new InputError('mine.unknown', 'This mining is not there any more, or its files are damaged. Mine the two texts again.', { cause: thrown, data: { miningId: id } });
  }
}

/** Decides named pairs, or all without a decision that score at least so much. */
export async function decideMining(projectFolder: string, id: string, { which, decision }: { readonly which: { readonly kind: 'pairs'; readonly pairs: readonly number[] } | { readonly kind: 'at-least'; readonly score: number }; readonly decision: Decision | null }): Promise<Mining> {
  const { pairs } = await readMining(projectFolder, id);
  const chosen = which.kind === 'pairs' ? which.pairs.filter((pair) => pair < pairs.length) : pairs.filter((pair) => pair.decision === null && pair.score >= which.score).map(({ pair }) => pair);
  if (chosen.length > 0) await appendLines(miningPaths(projectFolder, id).decisions, [{ pairs: chosen, decision }]);
  return (await readMining(projectFolder, id)).mining;
}

/** Writes the accepted pairs as TSV among the project's texts. @returns its path. @throws InputError 'mine.none-accepted'. */
export async function writeAccepted(projectFolder: string, { pairs, facts }: OpenMining): Promise<string> {
  const accepted = pairs.filter(({ decision }) => decision === 'accepted');
  if (accepted.length === 0) throw new InputError('mine.none-accepted', 'Expected at least one accepted pair, found none. Accept the candidates that are translations.');
  const path = join(projectFolder, 'incoming', `mined-${facts.id}.tsv`);
  await makeFolder(join(projectFolder, 'incoming'));
  await writeFileAtomic(path, accepted.map(({ source, target }) => `${cell(source)}\t${cell(target)}\n`).join(''));
  return path;
}

/** Tabs would part a cell. */
const cell = (text: string): string => text.replace(/\s+/gu, ' ').trim();

export async function removeMining(projectFolder: string, id: string): Promise<void> {
  await readMining(projectFolder, id);
  await rm(miningPaths(projectFolder, id).folder, { recursive: true, force: true });
}
