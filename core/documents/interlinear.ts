/** Which blocks do interlinear texts and treebanks have? FLEx texts and CoNLL-U: one for each sentence and each of its translations. */
import { conlluParser } from '../formats/conllu.ts';
import { flextextParser } from '../formats/flextext.ts';
import type { FlexPart, FlexPhrase } from '../formats/flextext.ts';
import { parseAllLines, parseAllText } from '../formats/parsing.ts';
import type { TaggedText } from '../formats/parsing.ts';
import { collectWithin, createBlockCollector } from './block-collector.ts';
import type { DocumentContent, DocumentPlace } from './parsed-document.ts';
import { addVersions } from './versions.ts';

/** @throws InputError 'documents.not-flextext' ... as `flextextParser`. */
export function parseFlextext(text: string, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  const parsed = parseAllText(text, flextextParser({ path, area: 'documents' }));
  const titles = new Map(parsed.flatMap((one) => (one.kind === 'part' && one.part.kind === 'text' ? [[one.part.text, one.part.titles[0]?.text ?? ''] as const] : [])));
  let open = -1;
  const write = (part: FlexPart): void => {
    if (part.kind !== 'phrase') return;
    if (part.text !== open) {
      open = part.text;
      collector.resetHeadings();
      collector.heading(1, titles.get(open) ?? '', { line: part.line });
    }
    addVersions(collector, placeOf(part), { versions: [...part.texts.slice(0, 1), ...part.freeTranslations], glosses: [...part.texts.slice(1), ...part.literalTranslations, ...wordGlosses(part), ...part.notes] });
  };
  const content = collectWithin(collector, () => parsed.forEach((one) => (one.kind === 'part' ? write(one.part) : collector.faults([one.fault]))));
  const [title] = titles.values();
  return { ...content, ...(title === undefined || title === '' ? {} : { title }) };
}

function placeOf({ line, startMs, endMs, speaker }: FlexPhrase): DocumentPlace {
  return { line, ...(startMs === null ? {} : { timeMs: { start: startMs, end: endMs ?? startMs } }), ...(speaker === '' ? {} : { speaker }) };
}

/** The glosses of all words, one line for each language; of their morphemes where the words have none. */
function wordGlosses({ words }: FlexPhrase): readonly TaggedText[] {
  const lines = new Map<string, string[]>();
  for (const { glosses, morphemes } of words) {
    const said = glosses.length > 0 ? glosses : [...new Set(morphemes.flatMap((morpheme) => morpheme.glosses.map(({ language }) => language)))].map((language) => ({ language, text: morphemes.map((morpheme) => morpheme.glosses.find((gloss) => gloss.language === language)?.text ?? '').join('-') }));
    for (const { language, text } of said) lines.set(language, [...(lines.get(language) ?? []), text]);
  }
  return [...lines].map(([language, texts]) => ({ language, text: texts.join(' ') }));
}

/** Sentences of a CoNLL-U treebank. */
export function parseConllu(text: string, path: string): DocumentContent {
  const collector = createBlockCollector(path);
  return collectWithin(collector, () => {
    for (const one of parseAllLines(text, conlluParser())) {
      if (one.kind === 'fault') collector.faults([one.fault]);
      else addVersions(collector, { line: one.part.line }, { versions: [{ language: '', text: one.part.text }, ...one.part.translations] });
    }
  });
}
