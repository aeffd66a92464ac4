/** Which pairs or sentences do interlinear texts and treebanks hold (FLEx, CoNLL-U)? */
import { conlluParser } from '../formats/conllu.ts';
import type { ConlluSentence } from '../formats/conllu.ts';
import { flextextParser } from '../formats/flextext.ts';
import type { FlexPhrase } from '../formats/flextext.ts';
import type { TaggedText } from '../formats/parsing.ts';
import type { CorpusField, CorpusOptions, CorpusProposal, LeftOutReason } from './corpus-options.ts';
import { checkedText } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { inLanguage } from './parallel-tmx.ts';
import { pairOf } from './parallel-tsv.ts';
import { flatMapReadings, readLineParts, readXmlParts, recordsIn } from './parsed-files.ts';
import { record } from './records.ts';
import type { ParallelPair, Reading, RecordPlace, Sentence } from './records.ts';

/** One sentence with its translations, whichever format it comes from. */
type Glossed = { readonly line: number; readonly document: number; readonly texts: readonly TaggedText[]; readonly translations: readonly TaggedText[]; readonly place: RecordPlace };

type ReadGlossed = (path: string, signal: AbortSignal, options: ReadOptions) => AsyncGenerator<Reading<Glossed>[]>;

/** The phrases of FLEx texts; each text is a document. @throws what flextextParser and readTextPieces throw. */
export const readFlexPhrases: ReadGlossed = (path, signal, options) =>
  flatMapReadings(readXmlParts(path, signal, options, flextextParser), (found): readonly Reading<Glossed>[] => (found.kind === 'phrase' ? [record(glossedPhrase(found))] : []));

function glossedPhrase({ line, text, texts, freeTranslations, number, startMs, endMs, speaker }: FlexPhrase): Glossed {
  const place = { ...(number === '' ? {} : { name: number }), ...(speaker === '' ? {} : { speaker }), ...(startMs === null || endMs === null ? {} : { timeMs: { start: startMs, end: endMs } }) };
  return { line, document: text, texts, translations: freeTranslations, place };
}

/** The sentences of a treebank. Its own language has no tag in the file. @throws what readLineBatches throws. */
export const readTreebank: ReadGlossed = (path, signal, options) =>
  flatMapReadings(readLineParts(path, signal, options, conlluParser()), (sentence): readonly Reading<Glossed>[] => [record(glossedSentence(sentence))]);

function glossedSentence({ line, id, text, translations, documentNumber }: ConlluSentence): Glossed {
  return { line, document: documentNumber, texts: [{ language: '', text }], translations, place: id === '' ? {} : { name: id } };
}

const textIn = (texts: readonly TaggedText[], wanted: string | undefined): string => {
  const fitting = wanted === undefined || texts.every(({ language }) => language === '') ? texts : inLanguage(texts, wanted);
  return fitting[0]?.text ?? '';
};

/** Pairs of a sentence and its free translation; one without is left out. Languages: those wanted, else the most used ones. */
export async function* glossedPairs(read: ReadGlossed, path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  const languages = await chosenLanguages(read, path, signal, options);
  yield* flatMapReadings(read(path, signal, options), ({ texts, translations, line, place }): readonly Reading<ParallelPair>[] => {
    const [text, translation] = [textIn(texts, languages.source), textIn(translations, languages.target)];
    const pair = pairWithPlace({ ...(languages.isTurned ? { source: translation, target: text } : { source: text, target: translation }), path, line, place }, options.onLeftOut);
    return pair === null ? [] : [pair];
  });
}

/** A pair with its place; null, and told, when one side is missing. */
export function pairWithPlace({ source, target, path, line, place }: { readonly source: string; readonly target: string; readonly path: string; readonly line: number; readonly place: RecordPlace }, onLeftOut?: (reason: LeftOutReason) => void): Reading<ParallelPair> | null {
  if (source === '' || target === '') {
    if (source !== '' || target !== '') onLeftOut?.('not-translated');
    return null;
  }
  const reading = pairOf(source, target, { path, line, whole: `${source} | ${target}` });
  return reading.kind === 'record' && Object.keys(place).length > 0 ? record({ ...reading.value, place }) : reading;
}

export async function* glossedSentences(read: ReadGlossed, path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<Sentence>[]> {
  const wanted = options.languages?.source;
  yield* flatMapReadings(read(path, signal, options), ({ texts, line, document, place }): readonly Reading<Sentence>[] => {
    const text = textIn(texts, wanted) || (texts[0]?.text ?? '');
    if (text === '') return [];
    const checked = checkedText(text, { path, line, what: 'a sentence', whole: text });
    return [typeof checked === 'string' ? record({ text: checked, document, line, place }) : checked];
  });
}

type Sides = { readonly source: string | undefined; readonly target: string | undefined; readonly isTurned: boolean };

async function chosenLanguages(read: ReadGlossed, path: string, signal: AbortSignal, options: CorpusOptions): Promise<Sides> {
  const { fields } = await proposeGlossed(read, path, signal, options);
  return orientLanguages(fields, options.languages ?? null);
}

/**
 * Which of a file's languages are text and translation. Wanted the other way round (from the translation into the text), the
 * pairs are turned. A file often names its own language by another tag than people do: its most used one then stands for it;
 * a translation is taken only in the language that was asked for.
 */
export function orientLanguages(fields: readonly CorpusField[], wanted: { readonly source: string; readonly target: string } | null): Sides {
  const [texts, translations] = (['text', 'translation'] as const).map((type) => fields.filter((field) => field.type === type).map((field) => ({ language: field.name })));
  const first = { source: texts?.[0]?.language, target: translations?.[0]?.language, isTurned: false };
  if (wanted === null) return first;
  const has = (tags: readonly { readonly language: string }[] | undefined, tag: string): boolean => inLanguage(tags ?? [], tag).length > 0;
  const isTurned = has(translations, wanted.source) && !has(translations, wanted.target);
  const [text, translation] = isTurned ? [wanted.target, wanted.source] : [wanted.source, wanted.target];
  return { source: has(texts, text) ? text : first.source, target: translation, isTurned };
}

/** Languages of texts and of translations, the most used first. Reads the whole file. */
export async function proposeGlossed(read: ReadGlossed, path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  const silent = options.encoding === undefined ? {} : { encoding: options.encoding };
  const sides = { text: new Map<string, { count: number; example: string }>(), translation: new Map<string, { count: number; example: string }>() };
  for await (const { texts, translations } of recordsIn(read(path, signal, silent))) {
    for (const [side, found] of [['text', texts], ['translation', translations]] as const) {
      for (const { language, text } of found) {
        const known = sides[side].get(language);
        if (known === undefined) sides[side].set(language, { count: 1, example: text });
        else known.count += 1;
      }
    }
  }
  const fields = (['text', 'translation'] as const).flatMap((type) => [...sides[type]].sort((a, b) => b[1].count - a[1].count).map(([name, { count, example }]): CorpusField => ({ kind: 'language', name, type, count, example })));
  const source = fields.find(({ type }) => type === 'text')?.name ?? '';
  const target = fields.find(({ type }) => type === 'translation')?.name;
  return { fields, mapping: {}, languages: target === undefined ? [source].filter((tag) => tag !== '') : [source, target], hasPairs: target !== undefined };
}
