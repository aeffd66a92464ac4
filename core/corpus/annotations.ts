/** Which pairs or sentences do the tiers of an ELAN file or a Praat TextGrid hold? Times are kept. */
import { InputError } from '../base/errors.ts';
import { detectEncoding, readBytes, readText } from '../base/text-files.ts';
import { eafParser } from '../formats/eaf.ts';
import type { EafTier } from '../formats/eaf.ts';
import { fault, faultProblem } from '../formats/parsing.ts';
import type { FormatFault } from '../formats/parsing.ts';
import { isBinaryTextGrid, parseBinaryTextGrid, parseTextGrid } from '../formats/textgrid.ts';
import type { TextGrid } from '../formats/textgrid.ts';
import { likelyEncodingOf, wasNeverUtf8 } from '../text/likely-encodings.ts';
import type { CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { checkedText, corpusText } from './line-records.ts';
import { pairOf } from './parallel-tsv.ts';
import { readXmlParts } from './parsed-files.ts';
import { record } from './records.ts';
import type { CorpusProblem, ParallelPair, Reading, Sentence } from './records.ts';
import { chooseTiers, pairTiers, proposeTiers } from './tier-pairs.ts';

/** A file of annotations is held whole, because tiers refer to each other. */
const TEXTGRID_LIMIT_BYTES = 64 * 1024 * 1024;
const MS = 1000;

type Tiers = { readonly tiers: readonly EafTier[]; readonly problems: readonly CorpusProblem[] };

/** The tiers of an ELAN file. @throws what eafParser and readTextPieces throw. */
export async function readEafTiers(path: string, signal: AbortSignal, options: CorpusOptions): Promise<Tiers> {
  const problems: CorpusProblem[] = [];
  let tiers: readonly EafTier[] = [];
  for await (const readings of readXmlParts(path, signal, options, eafParser)) {
    for (const reading of readings) {
      if (reading.kind === 'record') tiers = reading.value.tiers;
      else problems.push(reading.problem);
    }
  }
  return { tiers, problems };
}

/** The tiers of a TextGrid, text or binary, in the form of ELAN's; none belongs to another. @throws what parseTextGrid and readText throw. */
export async function readTextGridTiers(path: string, signal: AbortSignal, options: CorpusOptions): Promise<Tiers> {
  const place = { path, area: 'corpus' as const };
  const binary = await binaryBytes(path, signal, options);
  const faults: FormatFault[] = [];
  let grid: TextGrid;
  if (binary === null) {
    const { text, guessed } = await gridText(path, signal, options);
    grid = parseTextGrid(text.replaceAll('\0', ''), place);
    if (guessed !== null) faults.push(guessed);
  } else grid = parseBinaryTextGrid(binary, place);
  const tiers = grid.tiers.map(({ name, items }, tier): EafTier => ({
    name, parent: null, type: '', constraint: '', participant: '', language: '',
    annotations: items.map(({ start, end, text }, i) => ({ id: `${tier}:${i}`, text: text.toWellFormed(), startMs: timeMs(start), endMs: timeMs(end), parentId: null, previousId: null, line: i + 1 })),
  }));
  return { tiers, problems: [...faults, ...grid.faults].map((found) => faultProblem(found, place)) };
}

/** Praat itself reads what is no UTF-8 as Latin-1; another encoding that fits better goes before. What stays undecodable is said too. */
async function gridText(path: string, signal: AbortSignal, options: CorpusOptions): Promise<{ readonly text: string; readonly guessed: FormatFault | null }> {
  const textOptions = { ...corpusText(options), limitBytes: TEXTGRID_LIMIT_BYTES };
  const { text, isDamaged } = await readText(path, signal, textOptions);
  if (!isDamaged) return { text, guessed: null };
  const line = text.slice(0, text.indexOf('\uFFFD')).split('\n').length;
  const encoding = options.encoding === undefined && wasNeverUtf8(text) ? ((await likelyEncodingOf(path, signal, 'corpus')) ?? 'windows-1252') : null;
  const said = fault('invalid-bytes', { line, expected: 'text in its encoding', found: encoding === null ? 'bytes that are not, shown as U+FFFD' : `bytes that are no UTF-8, read as ${encoding} (choose another encoding if letters are wrong)` }).fault;
  return { text: encoding === null ? text : (await readText(path, signal, { ...textOptions, encoding })).text, guessed: said };
}

const timeMs = (seconds: number): number | null => (Number.isFinite(seconds) ? Math.round(seconds * MS) : null);

async function binaryBytes(path: string, signal: AbortSignal, options: CorpusOptions): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of readBytes(path, signal, { ...corpusText(options) })) {
    if (size === 0 && !isBinaryTextGrid(piece)) {
      detectEncoding(path, piece, corpusText(options));
      return null;
    }
    size += piece.length;
    if (size > TEXTGRID_LIMIT_BYTES) throw new InputError('corpus.too-large', `${path}: expected at most ${TEXTGRID_LIMIT_BYTES} bytes, found more. Split the file.`, { data: { path } });
    pieces.push(new Uint8Array(piece));
  }
  return Buffer.concat(pieces);
}

type ReadTiers = (path: string, signal: AbortSignal, options: CorpusOptions) => Promise<Tiers>;

/** @throws InputError 'corpus.missing-tier' naming the tiers there are, 'corpus.no-pairs'; what reading the tiers throws. */
export async function* tierPairs(read: ReadTiers, path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  const { tiers, problems } = await read(path, signal, options);
  const wanted = options.mapping?.tiers?.target === undefined ? proposeTiers(tiers).mapping.tiers : options.mapping.tiers;
  if (wanted?.target === undefined) throw new InputError('corpus.no-pairs', `${path}: expected a tier with a translation, found the tiers ${named(tiers)}. Choose the tiers, or use one as a text in one language.`, { data: { path } });
  const sources = chosen(path, tiers, options.mapping?.tiers?.source ?? wanted.source);
  const targets = chosen(path, tiers, wanted.target);
  yield problems.map((problem) => ({ kind: 'problem', problem }));
  yield pairTiers(tiers, sources, targets).flatMap(({ source, target, line, place }): Reading<ParallelPair>[] => {
    if (source === '' && target === '') return [];
    if (source === '' || target === '') {
      options.onLeftOut?.('not-translated');
      return [];
    }
    const reading = pairOf(source, target, { path, line, whole: `${source} | ${target}` });
    return [reading.kind === 'record' ? record({ ...reading.value, place }) : reading];
  });
}

/** One sentence for each text of the chosen tier, or of the one that looks like running text. */
export async function* tierSentences(read: ReadTiers, path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<Sentence>[]> {
  const { tiers, problems } = await read(path, signal, options);
  const wanted = options.mapping?.tiers?.source ?? proposeTiers(tiers).mapping.tiers?.source;
  if (wanted === undefined) throw new InputError('corpus.nothing-usable', `${path}: expected a tier with text, found ${tiers.length === 0 ? 'no tier' : `the empty tiers ${named(tiers)}`}.`, { data: { path } });
  yield problems.map((problem) => ({ kind: 'problem', problem }));
  yield chosen(path, tiers, wanted).flatMap((tier) =>
    tier.annotations.flatMap(({ text, startMs, endMs, line }): Reading<Sentence>[] => {
      if (text === '') return [];
      const checked = checkedText(text, { path, line, what: 'a sentence', whole: text });
      const place = { tier: tier.name, ...(tier.participant === '' ? {} : { speaker: tier.participant }), ...(startMs === null || endMs === null ? {} : { timeMs: { start: startMs, end: endMs } }) };
      return [typeof checked === 'string' ? record({ text: checked, document: 0, line, place }) : checked];
    }),
  );
}

export async function proposeTiersOf(read: ReadTiers, path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  return proposeTiers((await read(path, signal, options)).tiers);
}

function chosen(path: string, tiers: readonly EafTier[], choice: Parameters<typeof chooseTiers>[1]): readonly EafTier[] {
  const found = chooseTiers(tiers, choice);
  if (found.length > 0) return found;
  throw new InputError('corpus.missing-tier', `${path}: expected a tier ${JSON.stringify(Object.values(choice)[0])}, found the tiers ${named(tiers)}. Choose one of them.`, { data: { path } });
}

const SHOWN_TIERS = 20;
const named = (tiers: readonly EafTier[]): string => tiers.slice(0, SHOWN_TIERS).map(({ name }) => `"${name}"`).join(', ');
