/**
 * On what are choices made? On a split of the training data itself: every 7th block of four consecutive pairs (every 60th of large corpora,
 * none of the Bibles) is taken out; a span of each foreign sentence becomes a query, its block's four English sentences a document, among
 * English passages of the question data. Nothing of ir-eval or tatoeba is read.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../core/base/random.ts';
import { readAllPairs, type ParallelFiles } from '../../core/corpus/parallel.ts';
import { collect } from '../../core/corpus/records.ts';
import { readDocumentRecords } from '../../core/corpus/beir-records.ts';
import { hasWordSpaces, dominantScript } from '../../core/text/scripts.ts';

const BLOCK = 4;
const EVERY = 7;
const EVERY_OF_LARGE = 60;
const LARGE = 10_000;
const SPAN_SHARE = 0.4;
const WORDS = { least: 5, most: 9 };
const CHARACTERS = { least: 24, most: 48 };
const EVERY_PASSAGE = 12;

type Pair = { readonly source: string; readonly target: string };
export type DevelopmentTask = { readonly language: string; readonly queries: readonly { readonly id: string; readonly text: string }[]; readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[]; readonly qrels: ReadonlyMap<string, ReadonlyMap<string, number>> };

/** Splits the parallel corpora of `data`; writes the training part as TSV files into `out`. @returns the recipe's corpora and the tasks. */
export async function developmentSplit(options: { readonly data: string; readonly out: string }): Promise<{ readonly parallel: readonly { path: string; source: string; target: string }[]; readonly tasks: readonly DevelopmentTask[] }> {
  const { data, out } = options;
  const { signal } = new AbortController();
  await mkdir(out, { recursive: true });
  const parallel: { path: string; source: string; target: string }[] = [];
  const blocks = new Map<string, Pair[][]>();
  for (const file of corpusFiles(join(data, 'parallel'))) {
    const { pairs } = await readAllPairs(file, signal);
    const isBible = file.name.startsWith('ebible');
    const every = pairs.length > LARGE ? EVERY_OF_LARGE : EVERY;
    const kept: Pair[] = [];
    for (let start = 0; start < pairs.length; start += BLOCK) {
      const block = pairs.slice(start, start + BLOCK);
      if (!isBible && block.length === BLOCK && (start / BLOCK) % every === 3) blocks.set(file.target, [...(blocks.get(file.target) ?? []), block]);
      else kept.push(...block);
    }
    const path = join(out, `${file.name}.train.tsv`);
    await writeFile(path, `${kept.map(({ source, target }) => `${source}\t${target}`).join('\n')}\n`);
    parallel.push({ path, source: file.source, target: file.target });
  }
  const passages = (await collect(readDocumentRecords(join(data, 'ir', 'collection.jsonl.gz'), signal))).records.filter((_, i) => i % EVERY_PASSAGE === 0);
  return { parallel, tasks: [...blocks].map(([language, taken]) => taskOf(language, taken, passages)) };
}

function corpusFiles(folder: string): (ParallelFiles & { readonly name: string })[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name): (ParallelFiles & { readonly name: string })[] => {
      const [, source, target] = /\.([a-z]+)-([a-z]+)\.tsv(?:\.gz)?$/.exec(name) ?? [];
      if (source !== undefined && target !== undefined) return [{ name, path: join(folder, name), source, target }];
      const moses = /^(.*\.([a-z]+)-([a-z]+))\.\2$/.exec(name);
      const targetPath = join(folder, `${moses?.[1] ?? ''}.${moses?.[3] ?? ''}`);
      return moses === null || !existsSync(targetPath) ? [] : [{ name, sourcePath: join(folder, name), targetPath, source: moses[2] ?? '', target: moses[3] ?? '' }];
    });
}

function taskOf(language: string, blocks: readonly Pair[][], passages: readonly { id: string; title: string; text: string }[]): DevelopmentTask {
  const random = seededRandom(1, `development ${language}`);
  const queries: { id: string; text: string }[] = [];
  const qrels = new Map<string, Map<string, number>>();
  const documents = blocks.map((block, b) => {
    block.forEach(({ target }, i) => {
      const id = `q${b}-${i}`;
      queries.push({ id, text: spanOf(target, random.next()) });
      qrels.set(id, new Map([[`block-${b}`, 1]]));
    });
    return { id: `block-${b}`, title: '', text: block.map(({ source }) => source).join(' ') };
  });
  return { language, queries, documents: [...documents, ...passages], qrels };
}

/** About two fifths of a sentence, somewhere in it. */
function spanOf(sentence: string, chance: number): string {
  const spaced = hasWordSpaces(dominantScript(sentence) ?? 'Latn');
  const units = spaced ? sentence.split(/\s+/) : [...sentence];
  const { least, most } = spaced ? WORDS : CHARACTERS;
  const length = Math.min(units.length, Math.max(least, Math.min(most, Math.round(units.length * SPAN_SHARE))));
  const start = Math.floor(chance * (units.length - length + 1));
  return units.slice(start, start + length).join(spaced ? ' ' : '');
}
