/** Which segments has an index, and what is missing from them? Segments are copies of what the store holds in another order: each can be made again. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { toIsoglossError } from '../../base/errors.ts';
import type { TokenSums } from '../../encoding/token-sums.ts';
import type { MatchingForm } from '../analysis.ts';
import { matchingForm } from '../matching-form.ts';
import { rulesFingerprint, ruleRewriter } from '../matching-rules.ts';
import type { MatchingRules } from '../matching-rules.ts';
import type { StoredChunk } from '../store/lance-store.ts';
import { createDocumentTerms } from './document-terms.ts';
import { openSectionFile, sectionsInMemory, writeSectionFile } from './section-file.ts';
import { createSegmentBuilder } from './segment-builder.ts';
import type { SegmentBuilder } from './segment-builder.ts';
import { openSegment } from './segment.ts';
import type { Segment } from './segment.ts';

/** How texts become terms: segments made otherwise do not count. */
export type SegmentMaking = { readonly modelId: string; readonly rules: string; readonly form: MatchingForm; readonly tokenSums: TokenSums | null };

/** Segments for a model's encoder and a project's rules. */
export function segmentMaking({ modelId, tokenSums = null }: { readonly modelId: string; readonly tokenSums?: TokenSums | null }, rules: MatchingRules): SegmentMaking {
  const rewrite = ruleRewriter(rules, matchingForm);
  const fingerprint = rulesFingerprint(rules);
  return { modelId, rules: fingerprint, form: fingerprint === '' ? matchingForm : (text) => rewrite(matchingForm(text)), tokenSums };
}

export type NamedSegment = { readonly name: string; readonly path: string; readonly segment: Segment };

const FOLDER = 'segments';
const ENDING = '.seg';
/** Terms of the parts of a segment's documents: some 75,000 chunks. */
const MOST_POSTINGS = 54_000_000;
/** Segments below it are joined when there are many. */
export const SMALL_SEGMENT = 16_384;
/** After so long a segment is written though it is not full, so that searches beside the indexing see what is new. */
const LONGEST_WAIT_MS = 60_000;

export const segmentsFolder = (indexFolder: string): string => join(indexFolder, FOLDER);

export async function removeSegments(indexFolder: string, names?: readonly string[]): Promise<void> {
  if (names === undefined) await rm(segmentsFolder(indexFolder), { recursive: true, force: true });
  else for (const name of names) await rm(join(segmentsFolder(indexFolder), name), { force: true });
}

/** Opens every segment that is sound and made as asked, the oldest first. `damaged` are the names of the others that should have been. */
export async function openSegments(indexFolder: string, making: SegmentMaking): Promise<{ readonly segments: readonly NamedSegment[]; readonly damaged: readonly string[]; readonly foreign: readonly string[] }> {
  const segments: NamedSegment[] = [];
  const damaged: string[] = [];
  const foreign: string[] = [];
  for (const name of await namesIn(segmentsFolder(indexFolder))) {
    try {
      const path = join(segmentsFolder(indexFolder), name);
      const segment = openSegment(openSectionFile(path));
      const { modelId, rules } = segment.facts;
      if (modelId === making.modelId && rules === making.rules && segment.hasTokens === (making.tokenSums !== null)) segments.push({ name, path, segment });
      else {
        segment.close();
        foreign.push(name);
      }
    } catch {
      damaged.push(name); // whatever is wrong with it: it is made again
    }
  }
  return { segments, damaged, foreign };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(ENDING)).sort();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw toIsoglossError(thrown);
  }
}

export type SegmentWriter = {
  /** @returns how many vectors stand for the chunk (0 when vectors are kept elsewhere). */
  readonly add: (chunk: StoredChunk) => number;
  /** Called where what was added so far counts: writes a segment when it is full or has waited long. */
  readonly pause: () => Promise<void>;
  /** Writes what is left. @returns the names of all segments written. */
  readonly finish: () => Promise<readonly string[]>;
};

/** Collects chunks into segments of an index. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export function createSegmentWriter(indexFolder: string, making: SegmentMaking): SegmentWriter {
  let documentTerms = createDocumentTerms(making);
  const names: string[] = [];
  let builder: SegmentBuilder | null = null;
  let since = performance.now();
  const write = async (): Promise<void> => {
    if (builder === null || builder.size() === 0) return;
    const sections = builder.finish();
    builder = null;
    await mkdir(segmentsFolder(indexFolder), { recursive: true });
    const name = `${String(Date.now()).padStart(16, '0')}-${randomUUID().slice(0, 8)}${ENDING}`;
    await writeSectionFile(join(segmentsFolder(indexFolder), name), sections);
    names.push(name);
    since = performance.now();
  };
  return {
    add: (chunk) => {
      if (builder === null && documentTerms.isFull()) documentTerms = createDocumentTerms(making);
      builder ??= createSegmentBuilder({ documentTerms, ...making });
      return builder.add(documentOf(chunk));
    },
    pause: async () => {
      if (builder === null) return;
      const isLarge = builder.postings() >= MOST_POSTINGS || (documentTerms.isFull() && builder.size() >= SMALL_SEGMENT); // nearly every word a new one: what is remembered would grow with them
      if (isLarge || performance.now() - since >= LONGEST_WAIT_MS) await write();
    },
    finish: async () => {
      await write();
      return names;
    },
  };
}

/** A segment of chunks, in memory. */
export async function segmentOfChunks(chunks: AsyncIterable<readonly StoredChunk[]>, making: SegmentMaking): Promise<Segment> {
  const builder = createSegmentBuilder({ documentTerms: createDocumentTerms(making), ...making });
  for await (const piece of chunks) for (const chunk of piece) builder.add(documentOf(chunk));
  return openSegment(sectionsInMemory(builder.finish()));
}

const documentOf = ({ batch, chunk, path, text, location }: StoredChunk) => ({ batch, chunk, path, text, speaker: location.speaker ?? null, tier: location.tier ?? null });
