/** Which parallel pairs does an XLIFF file hold? The translated segments of two languages. */
import { xliffParser } from '../formats/xliff.ts';
import type { XliffUnit } from '../formats/xliff.ts';
import type { CorpusOptions, CorpusProposal, WantedLanguages } from './corpus-options.ts';
import { pairOf } from './parallel-tsv.ts';
import { baseLanguage, withUnit } from './parallel-tmx.ts';
import { flatMapReadings, readXmlParts, recordsIn } from './parsed-files.ts';
import { problem, record } from './records.ts';
import type { ParallelPair, Reading } from './records.ts';

/**
 * Streams source and target of every translated segment of two languages. Segments without a translation, or marked as not to be
 * translated and left as they are, are left out; units in other languages are problems ('corpus.missing-language').
 * @throws what xliffParser and readTextPieces throw.
 */
export async function* readXliffPairs(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  const chosen = choosePair(await languagePairs(path, signal, options), options.languages ?? null);
  yield* flatMapReadings(readXmlParts(path, signal, options, xliffParser), (found): readonly Reading<ParallelPair>[] => {
    if (found.kind !== 'unit') return [];
    if (chosen !== null && isTranslated(found) && pairKey(found) !== pairKey(chosen)) return [problem('missing-language', { path, line: found.line, unit: found.unit, expected: `texts in "${chosen.sourceLanguage}" and "${chosen.targetLanguage}"`, found: `${found.sourceLanguage}, ${found.targetLanguage}` })];
    return found.segments.flatMap(({ id, source, target }): readonly Reading<ParallelPair>[] => {
      if (source === '' && (target ?? '') === '') return [];
      if (source === '' || target === null || target === '' || (!found.isTranslatable && source === target)) {
        options.onLeftOut?.('not-translated');
        return [];
      }
      const [left, right] = isTurned(found, options.languages ?? null) ? [target, source] : [source, target];
      const reading = pairOf(left, right, { path, line: found.line, whole: `${source} | ${target}` });
      return [reading.kind === 'record' ? record({ ...reading.value, place: { name: id } }) : withUnit(reading.problem, found.unit)];
    });
  });
}

type Languages = Pick<XliffUnit, 'sourceLanguage' | 'targetLanguage'>;

const pairKey = ({ sourceLanguage, targetLanguage }: Languages): string => `${baseLanguage(sourceLanguage)} ${baseLanguage(targetLanguage)}`;

/** Asked for the other way round than the file has it. */
function isTurned({ sourceLanguage, targetLanguage }: Languages, wanted: WantedLanguages): boolean {
  if (wanted === null || sourceLanguage === '' || targetLanguage === '') return false;
  return baseLanguage(wanted.source) === baseLanguage(targetLanguage) && baseLanguage(wanted.target) === baseLanguage(sourceLanguage);
}

const isTranslated = ({ segments }: XliffUnit): boolean => segments.some(({ target }) => (target ?? '') !== '');

/** The pairs of languages of the translated units, of all where none is, the most used first. Reads the whole file. */
async function languagePairs(path: string, signal: AbortSignal, { encoding }: CorpusOptions): Promise<readonly Languages[]> {
  const counts = new Map<string, { readonly languages: Languages; count: number }>();
  for await (const found of recordsIn(readXmlParts(path, signal, encoding === undefined ? {} : { encoding }, xliffParser))) {
    if (found.kind !== 'unit') continue;
    const known = counts.get(pairKey(found));
    const count = Number(isTranslated(found));
    if (known === undefined) counts.set(pairKey(found), { languages: found, count });
    else known.count += count;
  }
  const used = [...counts.values()].filter(({ count }) => count > 0);
  return (used.length > 0 ? used : [...counts.values()]).sort((a, b) => b.count - a.count).map(({ languages: { sourceLanguage, targetLanguage } }) => ({ sourceLanguage, targetLanguage }));
}

/** Of several pairs the one that was asked for in either direction, else the most used; null where there is one, whatever its tags. */
function choosePair(pairs: readonly Languages[], wanted: WantedLanguages): Languages | null {
  if (pairs.length < 2) return null;
  return pairs.find((one) => isTurned(one, wanted) || (wanted !== null && pairKey(one) === `${baseLanguage(wanted.source)} ${baseLanguage(wanted.target)}`)) ?? pairs[0] ?? null;
}

/** The languages of the most units; the file of an XLIFF 2 without target names one. */
export async function proposeXliff(path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  const pairs = await languagePairs(path, signal, options);
  const named = [...new Set(pairs.flatMap(({ sourceLanguage, targetLanguage }) => [sourceLanguage, targetLanguage]))].filter((tag) => tag !== '');
  const chosen = choosePair(pairs, options.languages ?? null) ?? pairs[0];
  const languages = [chosen?.sourceLanguage ?? '', chosen?.targetLanguage ?? ''].filter((tag) => tag !== '');
  return { fields: pairs.length < 2 ? [] : named.map((name) => ({ kind: 'language', name, type: '', count: 0, example: '' })), mapping: {}, languages, hasPairs: true };
}
