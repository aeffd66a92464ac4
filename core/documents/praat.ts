/** Which blocks does a Praat TextGrid have? One for each label, with its time and tier; tiers of sounds and words are put together. */
import { parseBinaryTextGrid, parseTextGrid } from '../formats/textgrid.ts';
import type { TextGrid, TextGridItem, TextGridTier } from '../formats/textgrid.ts';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import type { BlockCollector } from './block-collector.ts';
import type { DocumentContent } from './parsed-document.ts';
import { readWholeFile } from './whole-file.ts';

const MS = 1000;
const BINARY_LIMIT_BYTES = 64 * 1024 * 1024;
const SHORT_LABEL = 1.5; // words on average: a tier of words or sounds
const PAUSE_S = 0.5; // ends a stretch of short labels
const STRETCH_S = 20;
const SILENCE = /^(?:sil|sp|spn|pau|<p:?>|#|_|\*|-)?$/i;

/** @throws InputError 'documents.not-textgrid'. */
export function parsePraat(text: string, path: string): DocumentContent {
  return blocksOf(parseTextGrid(text, { path, area: 'documents' }), path);
}

/** A TextGrid that Praat saved as a binary file. @throws InputError 'documents.not-textgrid', 'documents.too-large'. */
export async function readBinaryPraat(path: string): Promise<DocumentContent> {
  return blocksOf(parseBinaryTextGrid(await readWholeFile(path, BINARY_LIMIT_BYTES), { path, area: 'documents' }), path);
}

function blocksOf({ tiers, faults }: TextGrid, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  collector.faults(faults);
  return collectWithin(collector, () => tiers.forEach((tier) => writeTier(tier, collector)));
}

/** Phrases are blocks as they are. Labels of one word or sound are joined between pauses, as they are spoken. */
function writeTier({ name, items }: TextGridTier, collector: BlockCollector): void {
  const labels = items.filter(({ text }) => !SILENCE.test(text.trim()));
  const words = labels.reduce((sum, { text }) => sum + text.trim().split(/\s+/).length, 0) / Math.max(1, labels.length);
  const stretches = words >= SHORT_LABEL ? labels.map((label) => [label]) : joinStretches(labels);
  for (const stretch of stretches) {
    const [first, last] = [stretch[0], stretch.at(-1)];
    if (first === undefined || last === undefined) continue;
    collector.add('segment', stretch.map(({ text }) => text.trim()).join(' '), { line: 0, tier: name, timeMs: { start: Math.round(first.start * MS), end: Math.round(last.end * MS) } });
  }
}

function joinStretches(labels: readonly TextGridItem[]): readonly (readonly TextGridItem[])[] {
  const stretches: TextGridItem[][] = [];
  for (const label of labels) {
    const open = stretches.at(-1);
    const [first, last] = [open?.[0], open?.at(-1)];
    if (open === undefined || first === undefined || last === undefined || label.start - last.end > PAUSE_S || label.end - first.start > STRETCH_S) stretches.push([label]);
    else open.push(label);
  }
  return stretches;
}
