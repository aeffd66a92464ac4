/** Which parallel pairs does an XLIFF file hold? Its translated segments. */
import { xliffParser } from '../formats/xliff.ts';
import type { XliffUnit } from '../formats/xliff.ts';
import type { CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { pairOf } from './parallel-tsv.ts';
import { baseLanguage, withUnit } from './parallel-tmx.ts';
import { flatMapReadings, readXmlParts, recordsIn } from './parsed-files.ts';
import { record } from './records.ts';
import type { ParallelPair, Reading } from './records.ts';

/** Streams source and target of every translated segment; segments without a translation are left out. @throws what xliffParser and readTextPieces throw. */
export function readXliffPairs(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  return flatMapReadings(readXmlParts(path, signal, options, xliffParser), (found): readonly Reading<ParallelPair>[] => {
    if (found.kind !== 'unit') return [];
    return found.segments.flatMap(({ id, source, target }): readonly Reading<ParallelPair>[] => {
      if (source === '' && (target ?? '') === '') return [];
      if (source === '' || target === null || target === '') {
        options.onLeftOut?.('not-translated');
        return [];
      }
      const [left, right] = isTurned(found, options) ? [target, source] : [source, target];
      const reading = pairOf(left, right, { path, line: found.line, whole: `${source} | ${target}` });
      return [reading.kind === 'record' ? record({ ...reading.value, place: { name: id } }) : withUnit(reading.problem, found.unit)];
    });
  });
}

/** Asked for the other way round than the file has it. */
function isTurned({ sourceLanguage, targetLanguage }: XliffUnit, { languages }: CorpusOptions): boolean {
  if (languages === undefined || languages === null || sourceLanguage === '' || targetLanguage === '') return false;
  return baseLanguage(languages.source) === baseLanguage(targetLanguage) && baseLanguage(languages.target) === baseLanguage(sourceLanguage);
}

/** The languages of the first unit that names both; the file of an XLIFF 2 without target names one. */
export async function proposeXliff(path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  let languages: readonly string[] = [];
  for await (const found of recordsIn(readXmlParts(path, signal, options.encoding === undefined ? {} : { encoding: options.encoding }, xliffParser))) {
    if (found.kind !== 'unit') continue;
    languages = [found.sourceLanguage, found.targetLanguage].filter((tag) => tag !== '');
    if (languages.length === 2) break;
  }
  return { fields: [], mapping: {}, languages, hasPairs: true };
}
