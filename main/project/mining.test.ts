/** Facts about what was mined: levels count whole hundredths, decisions are taken back one by one, what is shown can be narrowed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { decideMining, levelsOf, listMinings, miningPaths, pairsOf, readMining, undoMining, writeMiningFacts } from './mining.ts';

let folder: string;
const SCORES = [1.5, 1.3, 1.3, 1.294, 1.1];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-mining-'));
  const text = { path: '/a', language: 'sw' };
  await writeMiningFacts(folder, { id: 'm', source: text, target: text, at: 1, proposed: 1.2, corpusId: null, candidates: null });
  await writeJsonAtomic(miningPaths(folder, 'm').candidates, SCORES.map((score, at) => ({ source: `s${String(at)}`, target: `t${String(at)}`, score })));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const shown = async (show: Parameters<typeof pairsOf>[1]['show']) => pairsOf(await readMining(folder, 'm'), { show, from: 0, count: 10 }).pairs.map(({ pair }) => pair);

describe('a mining', () => {
  it('counts at every hundredth what deciding from there on would decide', async () => {
    const levels = levelsOf(await readMining(folder, 'm'));
    expect(levels.map(({ atLeast }) => atLeast)).toEqual(Array.from({ length: 41 }, (_, at) => (150 - at) / 100));
    expect(levels.find(({ atLeast }) => atLeast === 1.3)).toMatchObject({ candidates: 3, undecided: 3 });
    expect(levels.find(({ atLeast }) => atLeast === 1.29)).toMatchObject({ candidates: 4 });
    await decideMining(folder, 'm', { which: { kind: 'pairs', pairs: [1] }, decision: 'rejected' });
    const level = levelsOf(await readMining(folder, 'm')).find(({ atLeast }) => atLeast === 1.3);
    const { accepted } = await decideMining(folder, 'm', { which: { kind: 'at-least', score: 1.3 }, decision: 'accepted' });
    expect([level?.undecided, accepted]).toEqual([2, 2]);
    expect(levelsOf({ candidates: [], decisions: new Map() })).toEqual([]);
  });

  it('takes decisions back one by one, also one of many pairs, also after the program was closed', async () => {
    await decideMining(folder, 'm', { which: { kind: 'pairs', pairs: [4] }, decision: 'rejected' });
    await decideMining(folder, 'm', { which: { kind: 'at-least', score: 1.2 }, decision: 'accepted' });
    await decideMining(folder, 'm', { which: { kind: 'pairs', pairs: [0] }, decision: null });
    expect((await readMining(folder, 'm')).mining).toMatchObject({ accepted: 3, rejected: 1, undoable: 3, candidates: 5 });
    expect(await undoMining(folder, 'm')).toMatchObject({ pair: 0, mining: { accepted: 4, rejected: 1, undoable: 2 } });
    expect(await undoMining(folder, 'm')).toMatchObject({ pair: 0, mining: { accepted: 0, rejected: 1, undoable: 1 } });
    expect(await undoMining(folder, 'm')).toMatchObject({ pair: 4, mining: { rejected: 0, undoable: 0 } });
    expect(await undoMining(folder, 'm')).toMatchObject({ pair: null });
  });

  it('shows all, or those of one decision, and says how many there are', async () => {
    await decideMining(folder, 'm', { which: { kind: 'pairs', pairs: [1, 3] }, decision: 'accepted' });
    expect([await shown('all'), await shown('accepted'), await shown('undecided'), await shown('rejected')]).toEqual([[0, 1, 2, 3, 4], [1, 3], [0, 2, 4], []]);
    expect(pairsOf(await readMining(folder, 'm'), { show: 'undecided', from: 1, count: 1 })).toMatchObject({ shown: 3, pairs: [{ pair: 2, score: 1.3, decision: null }] });
    expect(await listMinings(folder)).toMatchObject([{ id: 'm', accepted: 2, candidates: 5 }]);
  });
});
