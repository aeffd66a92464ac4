/** Which phrase pairs do dictionaries hold, with sentences that show them in use (LIFT, Toolbox)? */
import { readLineBatches } from '../base/text-lines.ts';
import { InputError } from '../base/errors.ts';
import { liftParser } from '../formats/lift.ts';
import type { LiftEntry } from '../formats/lift.ts';
import type { TaggedText } from '../formats/parsing.ts';
import { countMarkers, guessRecordMarker, sfmParser, sfmText, sfmValues } from '../formats/sfm.ts';
import type { SfmRecord } from '../formats/sfm.ts';
import type { CorpusField, CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { orientLanguages, pairWithPlace } from './interlinear.ts';
import { checkedText, corpusText } from './line-records.ts';
import { inLanguage } from './parallel-tmx.ts';
import { flatMapReadings, readLineParts, readXmlParts, recordsIn } from './parsed-files.ts';
import { record } from './records.ts';
import type { ParallelPair, PhrasePair, Reading, Sentence } from './records.ts';

/** A dictionary entry in two languages: what each sense is called, and its examples. */
type Entry = { readonly name: string; readonly line: number; readonly headword: string; readonly senses: readonly { /** Of a subentry; left out: that of the entry. */ readonly headword?: string; readonly glosses: readonly string[]; readonly examples: readonly { readonly source: string; readonly target: string | null }[] }[] };

/** The phrase pairs of a LIFT dictionary: the word with each gloss (where there is none, each definition) of each sense. @throws what liftParser and readTextPieces throw. */
export async function* readLiftPhrases(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<PhrasePair>[]> {
  const { source = '', target = '', isTurned } = orientLanguages((await proposeLift(path, signal, options)).fields, options.languages ?? null);
  const phrases = phrasesOf(path, options, flatMapReadings(readXmlParts(path, signal, options, liftParser), (found) => (found.kind === 'entry' ? [record(liftEntry(found, source, target))] : [])));
  yield* isTurned ? flatMapReadings(phrases, (pair): readonly Reading<PhrasePair>[] => [record(turned(pair))]) : phrases;
}

/** From the translation to the word; examples without a translation are left out. */
function turned({ source, target, examples, ...rest }: PhrasePair): PhrasePair {
  return { ...rest, source: target, target: source, examples: examples.flatMap((one) => (one.target === null ? [] : [{ source: one.target, target: one.source }])) };
}

function liftEntry({ id, line, lexicalUnit, citation, senses }: LiftEntry, source: string, target: string): Entry {
  const one = (texts: readonly TaggedText[], language: string): string => inLanguage(texts, language)[0]?.text ?? '';
  const all = (texts: readonly TaggedText[], language: string): string[] => inLanguage(texts, language).map(({ text }) => text);
  return {
    name: id,
    line,
    headword: one(lexicalUnit, source) || one(citation, source),
    senses: senses.map(({ glosses, definitions, examples }) => {
      const found = all(glosses, target);
      return {
        glosses: found.length > 0 ? found : all(definitions, target),
        examples: examples.flatMap(({ texts, translations }) => {
          const text = one(texts, source);
          return text === '' ? [] : [{ source: text, target: one(translations, target) || null }];
        }),
      };
    }),
  };
}

/** A transcription of sounds is not how texts are written. */
const PHONETIC = /-fonipa|-fonupa|^x-?ipa/i;

/** The languages of words and of glosses, the most used first. Reads the whole file. */
export async function proposeLift(path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  const silent = options.encoding === undefined ? {} : { encoding: options.encoding };
  const sides = { text: new Map<string, CorpusField>(), translation: new Map<string, CorpusField>() };
  const add = (type: 'text' | 'translation', texts: readonly TaggedText[]): void => {
    for (const { language, text } of texts) {
      const known = sides[type].get(language);
      sides[type].set(language, { kind: 'language', name: language, type, count: (known?.count ?? 0) + 1, example: known?.example ?? text });
    }
  };
  for await (const found of recordsIn(readXmlParts(path, signal, silent, liftParser))) {
    if (found.kind !== 'entry') continue;
    add('text', found.lexicalUnit.length > 0 ? found.lexicalUnit : found.citation);
    for (const { glosses, definitions } of found.senses) add('translation', glosses.length > 0 ? glosses : definitions);
  }
  const [texts, translations] = (['text', 'translation'] as const).map((type) => [...sides[type].values()].sort((a, b) => Number(PHONETIC.test(a.name)) - Number(PHONETIC.test(b.name)) || b.count - a.count));
  const languages = [texts?.[0]?.name, translations?.[0]?.name].flatMap((tag) => tag ?? []);
  return { fields: [...(texts ?? []), ...(translations ?? [])], mapping: {}, languages, hasPairs: languages.length === 2 };
}

/** What markers mean where nobody says otherwise: MDF dictionaries, and interlinear texts of Toolbox and Shoebox. */
const DICTIONARY_MARKERS = { source: ['lx', 'se', 'a'], target: ['ge', 'gn', 'gr', 'de', 'dn', 'eng', 'eg'], exampleSource: ['xv', 'ex', 'x'], exampleTarget: { ge: ['xe'], de: ['xe'], gn: ['xn'], dn: ['xn'], gr: ['xr'] } } as const;
const TEXT_MARKERS = { source: ['tx', 't', 'txt', 'utt', 'vern', 'v'], target: ['ft', 'fe', 'f', 'fn', 'fr', 'ftn', 'free', 'trans', 'tr'] } as const;

type Markers = { readonly record: string; readonly source: string; readonly target: string | null; readonly isDictionary: boolean };

const SUBENTRY = 'se';
const MARKER_LINES = 200_000;

/** The markers of the first lines of a file, each with how often it is there. */
async function markersOf(path: string, signal: AbortSignal, options: CorpusOptions): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly examples: ReadonlyMap<string, string> }> {
  const counts = new Map<string, number>();
  const examples = new Map<string, string>();
  let seen = 0;
  for await (const { lines } of readLineBatches(path, signal, corpusText(options.encoding === undefined ? {} : { encoding: options.encoding }))) {
    const texts = lines.filter((line) => typeof line === 'string');
    for (const [marker, count] of countMarkers(texts)) counts.set(marker, (counts.get(marker) ?? 0) + count);
    for (const text of texts) {
      const [, marker = '', value = ''] = /^\\(\S+)\s+(.*)$/.exec(text) ?? [];
      if (marker !== '' && value !== '' && !examples.has(marker)) examples.set(marker, value);
    }
    seen += lines.length;
    if (seen > MARKER_LINES) break;
  }
  return { counts, examples };
}

async function chooseMarkers(path: string, signal: AbortSignal, options: CorpusOptions): Promise<Markers> {
  const { counts } = await markersOf(path, signal, options);
  const said = options.mapping?.markers ?? {};
  for (const marker of Object.values(said)) {
    if (marker !== undefined && !counts.has(marker)) throw new InputError('corpus.missing-marker', `${path}: expected the marker "\\${marker}", found ${[...counts.keys()].map((one) => `\\${one}`).join(' ')}. Choose one of them.`, { data: { path, marker } });
  }
  const recordMarker = said.record ?? guessRecordMarker(counts);
  if (recordMarker === null) throw new InputError('corpus.not-sfm', `${path}: expected lines that begin with markers such as \\lx or \\ref, found none.`, { data: { path } });
  const pick = (names: readonly string[]): string | null => names.find((name) => counts.has(name)) ?? null;
  const textSource = pick(TEXT_MARKERS.source);
  const isDictionary = said.source === undefined ? recordMarker === 'lx' || textSource === null : said.source === recordMarker;
  const wanted = isDictionary ? DICTIONARY_MARKERS : TEXT_MARKERS;
  const targets = wanted.target.filter((name) => counts.has(name) && name !== recordMarker).sort((a, b) => (isDictionary ? 0 : (counts.get(b) ?? 0) - (counts.get(a) ?? 0)));
  return { record: recordMarker, source: said.source ?? (isDictionary ? (pick(DICTIONARY_MARKERS.source) ?? recordMarker) : (textSource ?? recordMarker)), target: said.target ?? targets[0] ?? null, isDictionary };
}

/** What markers a Toolbox file has, and which would be taken. */
export async function proposeSfm(path: string, signal: AbortSignal, options: CorpusOptions): Promise<CorpusProposal> {
  const { counts, examples } = await markersOf(path, signal, options);
  const { record: recordMarker, source, target } = await chooseMarkers(path, signal, { ...options, mapping: {} });
  return {
    fields: [...counts].map(([name, count]) => ({ kind: 'marker', name, type: '', count, example: examples.get(name) ?? '' })),
    mapping: { markers: { record: recordMarker, source, ...(target === null ? {} : { target }) } },
    languages: [],
    hasPairs: target !== null,
  };
}

const sfmRecords = (path: string, signal: AbortSignal, options: CorpusOptions, marker: string): AsyncGenerator<Reading<SfmRecord>[]> => readLineParts(path, signal, options, sfmParser(marker));

/** The pairs of a Toolbox file: words with glosses and examples of a dictionary, sentences with free translations of a text. @throws InputError 'corpus.missing-marker', 'corpus.not-sfm', 'corpus.no-pairs'; what readLineBatches throws. */
export async function* readSfmPairs(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<ParallelPair>[]> {
  const markers = await chooseMarkers(path, signal, options);
  const { target } = markers;
  if (target === null) throw new InputError('corpus.no-pairs', `${path}: expected a marker with translations such as \\ge or \\ft, found none. Choose the marker, or use it as a text in one language.`, { data: { path } });
  if (markers.isDictionary) {
    yield* pairsOfPhrases(path, options, readSfmPhrases(path, signal, options));
    return;
  }
  yield* flatMapReadings(sfmRecords(path, signal, options, markers.record), (found): readonly Reading<ParallelPair>[] => {
    if (found.isHeader) return [];
    const name = found.fields[0]?.value ?? '';
    const pair = pairWithPlace({ source: spaced(sfmText(found, markers.source)), target: spaced(sfmText(found, target)), path, line: found.line, place: name === '' ? {} : { name } }, options.onLeftOut);
    return pair === null ? [] : [pair];
  });
}

/** Interlinear lines are padded with spaces to stand above their glosses. */
const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

export async function* readSfmPhrases(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<PhrasePair>[]> {
  const markers = await chooseMarkers(path, signal, options);
  yield* phrasesOf(path, options, flatMapReadings(sfmRecords(path, signal, options, markers.record), (found) => (found.isHeader ? [] : [record(sfmEntry(found, markers))])));
}

/** Senses begin at \sn and \ps, subentries with a word of their own at \se; an example's translation follows it. */
function sfmEntry({ fields, line }: SfmRecord, { source, target }: Markers): Entry {
  type Growing = { headword?: string; glosses: string[]; examples: { source: string; target: string | null }[] };
  const exampleTargets: readonly string[] = Object.entries(DICTIONARY_MARKERS.exampleTarget).find(([marker]) => marker === target)?.[1] ?? ['xe', 'xn', 'xr'];
  const senses: Growing[] = [{ glosses: [], examples: [] }];
  let headword = '';
  for (const { marker, value } of fields) {
    const text = spaced(value);
    const sense = senses.at(-1);
    if (text === '' || sense === undefined) continue;
    if (marker === source && headword === '') headword = text;
    else if (marker === SUBENTRY) senses.push({ headword: text, glosses: [], examples: [] });
    else if (marker === 'sn' || marker === 'ps') {
      if (sense.glosses.length + sense.examples.length > 0) senses.push({ ...(sense.headword === undefined ? {} : { headword: sense.headword }), glosses: [], examples: [] });
    } else if (marker === target) sense.glosses.push(text);
    else if (DICTIONARY_MARKERS.exampleSource.some((name) => name === marker)) sense.examples.push({ source: text, target: null });
    else if (exampleTargets.includes(marker)) {
      const last = sense.examples.at(-1);
      if (last !== undefined && last.target === null) last.target = text;
    }
  }
  return { name: headword, line, headword, senses };
}

function phrasesOf(path: string, options: CorpusOptions, entries: AsyncIterable<readonly Reading<Entry>[]>): AsyncGenerator<Reading<PhrasePair>[]> {
  return flatMapReadings(entries, ({ name, line, headword, senses }): readonly Reading<PhrasePair>[] => {
    const found = senses.flatMap(({ headword: own = headword, glosses, examples }) =>
      glosses.flatMap((gloss, i): Reading<PhrasePair>[] => {
        const reading = pairWithPlace({ source: own, target: gloss, path, line, place: { name } }, options.onLeftOut);
        if (reading === null) return [];
        return [reading.kind === 'record' ? record({ ...reading.value, examples: i === 0 ? examples : [] }) : reading];
      }),
    );
    if (found.length === 0) options.onLeftOut?.('not-translated');
    return found;
  });
}

/** Phrase pairs and, behind each, its translated example sentences, as pairs. */
export function pairsOfPhrases(path: string, options: CorpusOptions, phrases: AsyncIterable<readonly Reading<PhrasePair>[]>): AsyncGenerator<Reading<ParallelPair>[]> {
  return flatMapReadings(phrases, ({ examples, ...pair }): readonly Reading<ParallelPair>[] => [
    record(pair),
    ...examples.flatMap(({ source, target }) => {
      const reading = target === null ? null : pairWithPlace({ source, target, path, line: pair.line, place: pair.place ?? {} }, options.onLeftOut);
      return reading === null ? [] : [reading];
    }),
  ]);
}

/** The words and example sentences of a dictionary, or the sentences of a text, in its own language. */
export async function* readSfmSentences(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<Sentence>[]> {
  const { record: recordMarker, source, isDictionary } = await chooseMarkers(path, signal, options);
  const texts = (found: SfmRecord): string[] => (isDictionary ? [...sfmValues(found, source), ...DICTIONARY_MARKERS.exampleSource.flatMap((marker) => sfmValues(found, marker))] : [sfmText(found, source)]);
  yield* flatMapReadings(sfmRecords(path, signal, options, recordMarker), (found): readonly Reading<Sentence>[] => (found.isHeader ? [] : texts(found).map(spaced).filter((text) => text !== '').map((text) => sentenceOf(text, path, found.line))));
}

function sentenceOf(text: string, path: string, line: number): Reading<Sentence> {
  const checked = checkedText(text, { path, line, what: 'a sentence', whole: text });
  return typeof checked === 'string' ? record({ text: checked, document: 0, line }) : checked;
}

/** The words and example sentences of a LIFT dictionary in its own language. */
export async function* readLiftSentences(path: string, signal: AbortSignal, options: CorpusOptions): AsyncGenerator<Reading<Sentence>[]> {
  const source = options.languages?.source ?? (await proposeLift(path, signal, options)).languages[0] ?? '';
  yield* flatMapReadings(readXmlParts(path, signal, options, liftParser), (found): readonly Reading<Sentence>[] => {
    if (found.kind !== 'entry') return [];
    const { headword, senses } = liftEntry(found, source, source);
    return [headword, ...senses.flatMap(({ examples }) => examples.map((example) => example.source))].filter((text) => text !== '').map((text) => sentenceOf(text, path, found.line));
  });
}
