/**
 * Which records make up the batch of a step? A pure function of (sources, seed, step): a run that resumes at step k needs
 * to store nothing but k, and skips nothing.
 *
 * Each source has a fixed number of places (places.ts) and is walked by its own stream (stream.ts). Steps are planned in
 * rounds of 64: a record goes to the batch where its position falls; where one of its keys is already there it moves to
 * another batch of the round. So every record is still visited once per epoch, and no batch holds a key twice.
 */
import { InvariantError } from '../base/errors.ts';
import { NO_KEY } from './keys.ts';
import { placesOfSources, type SourceSize } from './places.ts';
import { createStream } from './stream.ts';

/** Steps planned together: enough batches to move a repeated record to, few enough to plan in milliseconds. */
const STEPS_PER_ROUND = 64;

export type BatchSource = SourceSize & {
  /** int32 [size] each (keys.ts): two records with an equal key in any of the lists never share a batch. */
  readonly keys: readonly Int32Array[];
};

/** Record `indices[i]` of source `sources[i]`, for each i; ordered by source. */
export type Batch = {
  readonly sources: Int32Array;
  readonly indices: Int32Array;
};

export type BatchSampler = {
  /** The batch of a step, counted from 0. */
  readonly batchAt: (step: number) => Batch;
  /** Places per source and step, int32 [sources]; their sum is the usual batch size (moved records change it by a few). */
  readonly places: Int32Array;
  /** How often each source has been walked after so many steps: steps * places / size, 0 for an empty source. */
  readonly epochsAfter: (steps: number) => readonly number[];
};

/**
 * @param batchSize records per batch; fewer when all sources together have fewer.
 * @param exponent how sizes become shares, see `placesOfSources`.
 * @param purpose names the stream of chance, so that two samplers with one seed are independent.
 * A record whose keys stand in every batch of its round (a sentence repeated more than 64 times) waits for its next epoch.
 */
export function createBatchSampler(options: {
  readonly sources: readonly BatchSource[]; readonly batchSize: number; readonly exponent: number; readonly seed: number; readonly purpose: string;
}): BatchSampler {
  const { sources, batchSize, exponent, seed, purpose } = options;
  sources.forEach(({ size, keys }, source) => {
    const list = keys.find(({ length }) => length !== size);
    if (list !== undefined) throw new InvariantError('sampling.keys', `Source ${source} has ${size} records but a list of ${list.length} keys.`);
  });
  const places = placesOfSources({ sources, batchSize, exponent });
  const streams = sources.map(({ size }, source) => createStream({ size, seed, purpose: `${purpose}/${source}` }));
  let planned: { readonly round: number; readonly batches: readonly Batch[] } | null = null;
  return {
    places,
    epochsAfter: (steps) => sources.map(({ size }, source) => (size === 0 ? 0 : (steps * (places[source] ?? 0)) / size)),
    batchAt: (step) => {
      if (!Number.isInteger(step) || step < 0) throw new InvariantError('sampling.step', `Steps count from 0, asked for ${step}.`);
      const round = Math.floor(step / STEPS_PER_ROUND);
      if (planned?.round !== round) planned = { round, batches: planRound({ round, sources, places, streams }) };
      const batch = planned.batches[step - round * STEPS_PER_ROUND];
      if (batch === undefined) throw new InvariantError('sampling.step', `Step ${step} has no plan.`);
      return batch;
    },
  };
}

type RoundOptions = {
  readonly round: number; readonly sources: readonly BatchSource[]; readonly places: Int32Array; readonly streams: readonly ((position: number) => number)[];
};

type Draw = { readonly source: number; readonly index: number; readonly keys: readonly number[]; readonly wished: number };
type OpenBatch = { readonly draws: Draw[]; readonly keys: Set<number>; readonly perSource: Int32Array };

function planRound({ round, sources, places, streams }: RoundOptions): readonly Batch[] {
  const usualSize = places.reduce((sum, count) => sum + count, 0);
  const batches = Array.from({ length: STEPS_PER_ROUND }, (): OpenBatch => ({ draws: [], keys: new Set(), perSource: new Int32Array(sources.length) }));
  const waiting: Draw[] = [];
  batches.forEach((batch, wished) => {
    sources.forEach(({ keys }, source) => {
      const count = places[source] ?? 0;
      for (let place = 0; place < count; place += 1) {
        const index = streams[source]?.((round * STEPS_PER_ROUND + wished) * count + place) ?? 0;
        const draw = { source, index, wished, keys: keysOf(keys, index) };
        if (accepts(batch, draw)) put(batch, draw);
        else waiting.push(draw);
      }
    });
  });
  for (const draw of waiting) {
    const possible = inTurn(batches, draw.wished).filter((batch) => accepts(batch, draw));
    const chosen =
      possible.find(({ perSource }) => (perSource[draw.source] ?? 0) < (places[draw.source] ?? 0)) ?? possible.find(({ draws }) => draws.length < usualSize) ?? possible[0];
    if (chosen !== undefined) put(chosen, draw);
  }
  return batches.map(({ draws }) => {
    const ordered = draws.toSorted((a, b) => a.source - b.source);
    return { sources: Int32Array.from(ordered, ({ source }) => source), indices: Int32Array.from(ordered, ({ index }) => index) };
  });
}

/** The distinct keys of one record; a pair of equal sentences has one. */
function keysOf(lists: readonly Int32Array[], index: number): readonly number[] {
  const keys = lists.map((list) => list[index] ?? NO_KEY).filter((key) => key !== NO_KEY);
  return keys.length < 2 ? keys : [...new Set(keys)];
}

function accepts(batch: OpenBatch, draw: Draw): boolean {
  return draw.keys.every((key) => !batch.keys.has(key));
}

function put(batch: OpenBatch, draw: Draw): void {
  batch.draws.push(draw);
  for (const key of draw.keys) batch.keys.add(key);
  batch.perSource[draw.source] = (batch.perSource[draw.source] ?? 0) + 1;
}

/** All batches of the round, from the one after `start` around to `start` itself. */
function inTurn(batches: readonly OpenBatch[], start: number): readonly OpenBatch[] {
  return [...batches.slice(start + 1), ...batches.slice(0, start + 1)];
}
