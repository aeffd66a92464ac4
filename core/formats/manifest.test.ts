/** Does every independently counted fact of the real samples come out of the parsers? */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { conlluParser } from './conllu.ts';
import { eafParser } from './eaf.ts';
import { flextextParser } from './flextext.ts';
import { liftParser } from './lift.ts';
import { parseAllLines, parseAllText, partsOf } from './parsing.ts';
import type { TaggedText } from './parsing.ts';
import { countMarkers, guessRecordMarker, sfmParser } from './sfm.ts';
import { isBinaryTextGrid, parseBinaryTextGrid, parseTextGrid } from './textgrid.ts';
import { tmxParser } from './tmx.ts';
import { usfmParser } from './usfm.ts';
import { xliffParser } from './xliff.ts';

const folder = join(import.meta.dirname, '../../../shared/data/formats');
const isThere = existsSync(join(folder, 'MANIFEST.json'));

type Facts = Readonly<Record<string, unknown>>;
type Sample = { readonly path: string; readonly format: string; readonly facts: Facts };

const samples: readonly Sample[] = isThere ? JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')) : [];

function textOf(path: string): string {
  const bytes = readFileSync(join(folder, path));
  const label = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(label).decode(bytes).replaceAll('\r\n', '\n');
}

const place = (path: string) => ({ path, area: 'corpus' as const });
const tagged = ({ language, text }: TaggedText) => ({ lang: language, text });
const countsOf = (names: readonly string[]): Record<string, number> => Object.fromEntries(Map.groupBy(names, (name) => name).entries().map(([name, all]) => [name, all.length]));

/** What our parsers say of a sample, under the names of the manifest. */
const readings: Readonly<Record<string, (path: string, facts: Facts) => Facts>> = {
  eaf: (path, facts) => {
    const [eaf] = partsOf(parseAllText(textOf(path), eafParser(place(path))));
    const tiers = eaf?.tiers ?? [];
    const wanted = facts['example_tier'] as { readonly name: string } | undefined;
    const example = tiers.find(({ name }) => name === wanted?.name)?.annotations ?? [];
    const timed = (one: (typeof example)[number] | undefined) => ({ start_ms: one?.startMs, end_ms: one?.endMs, text: one?.text });
    const child = facts['example_child_annotation'] as { readonly tier: string; readonly text: string } | undefined;
    const inherited = tiers.find(({ name }) => name === child?.tier)?.annotations.find(({ text }) => text === child?.text);
    return {
      format_version: eaf?.version,
      tier_count: tiers.length,
      annotations_total: tiers.reduce((sum, { annotations }) => sum + annotations.length, 0),
      tiers: tiers.map(({ name, parent, type, annotations }) => ({ name, parent, linguistic_type: type, annotations: annotations.length })),
      example_tier: { name: wanted?.name, first_in_document_order: timed(example[0]), last_in_document_order: timed(example.at(-1)) },
      example_child_annotation: { tier: child?.tier, text: inherited?.text, inherited_start_ms: inherited?.startMs, inherited_end_ms: inherited?.endMs },
    };
  },
  flextext: (path) => {
    const parts = partsOf(parseAllText(textOf(path), flextextParser(place(path))));
    const phrases = parts.filter((one) => one.kind === 'phrase');
    const words = phrases.flatMap((phrase) => phrase.words);
    const free = phrases.flatMap(({ freeTranslations }) => freeTranslations);
    return {
      root: 'document',
      texts: parts.filter(({ kind }) => kind === 'text').length,
      paragraphs: new Set(phrases.map(({ text, paragraph }) => `${text} ${paragraph}`)).size,
      phrases: phrases.length,
      phrase_element_name: [...new Set(phrases.map(({ element }) => element))],
      word_elements: words.length,
      word_elements_with_txt_item: words.filter(({ texts }) => texts.length > 0).length,
      word_elements_with_punct_item: words.filter(({ punctuation }) => punctuation.length > 0).length,
      morph_elements: words.reduce((sum, { morphemes }) => sum + morphemes.length, 0),
      phrase_level_free_translations_nonempty: free.length,
      phrase_level_free_translation_languages: countsOf(free.map(({ language }) => language)),
      example_free_translation: free.slice(0, 1).map(tagged)[0],
      titles: parts.flatMap((one) => (one.kind === 'text' ? one.titles.map(tagged) : [])),
      first_phrase_word_forms_first_language_each: phrases[0]?.words.map(({ texts, punctuation }) => [...texts, ...punctuation][0]?.text),
    };
  },
  lift: (path, facts) => {
    const parts = partsOf(parseAllText(textOf(path), liftParser(place(path))));
    const entries = parts.filter((one) => one.kind === 'entry');
    const senses = entries.flatMap((entry) => entry.senses);
    const examples = senses.flatMap((sense) => sense.examples);
    const wanted = facts['example_entry'] as { readonly entry_id: string } | undefined;
    const entry = entries.find(({ id }) => id === wanted?.entry_id);
    return {
      version: parts.find((one) => one.kind === 'header')?.version,
      entries: entries.length,
      senses: senses.filter(({ isSubsense }) => !isSubsense).length,
      subsenses: senses.filter(({ isSubsense }) => isSubsense).length,
      examples: examples.length,
      glosses: senses.reduce((sum, { glosses }) => sum + glosses.length, 0),
      example_entry: { entry_id: entry?.id, lexical_unit: entry?.lexicalUnit.map(tagged), gloss: entry?.senses[0]?.glosses.map(tagged) },
      first_example_with_text: examples.flatMap(({ texts }) => texts.map(tagged))[0],
    };
  },
  sfm: (path) => {
    const text = textOf(path);
    const markers = countMarkers(text.split('\n'));
    const marker = guessRecordMarker(markers) ?? '';
    const records = partsOf(parseAllLines(text, sfmParser(marker))).filter(({ isHeader }) => !isHeader);
    return {
      line_starting_markers: markers.values().reduce((sum, count) => sum + count, 0),
      markers: Object.fromEntries(markers),
      record_marker: marker,
      records: records.length,
      first_record_first_fields: records[0]?.fields.slice(0, 6).map((field) => [field.marker, field.value]),
      last_record_marker_value: records.at(-1)?.fields[0]?.value,
    };
  },
  textgrid: (path) => {
    const bytes = readFileSync(join(folder, path));
    const grid = isBinaryTextGrid(bytes) ? parseBinaryTextGrid(bytes, place(path)) : parseTextGrid(textOf(path), place(path));
    const [tier] = grid.tiers;
    const labelled = (tier?.items ?? []).filter(({ text }) => text !== '').map(({ start, end, text }) => [start, end, text]);
    return {
      xmin: grid.start,
      xmax: grid.end,
      tier_count: grid.tiers.length,
      tiers: grid.tiers.map(({ kind, name, items }) => ({ class: kind === 'intervals' ? 'IntervalTier' : 'TextTier', name, items: items.length, non_empty_labels: items.filter(({ text }) => text !== '').length })),
      example: { tier: tier?.name, first_non_empty_interval: labelled[0], last_non_empty: labelled.at(-1) },
    };
  },
  usfm: (path, facts) => {
    const parts = partsOf(parseAllLines(textOf(path), usfmParser()));
    const verses = parts.filter((one) => one.kind === 'verse');
    const wanted = (facts['example_verses_whitespace_normalised'] ?? []) as readonly { readonly ref: string }[];
    return {
      book: parts[0]?.book,
      chapters: new Set(verses.map(({ chapter }) => chapter)).size,
      verse_markers: verses.length,
      footnotes: parts.reduce((sum, { footnotes }) => sum + footnotes, 0),
      cross_references: parts.reduce((sum, { crossReferences }) => sum + crossReferences, 0),
      example_verses_whitespace_normalised: wanted.map(({ ref }) => ({ ref, text: verses.find(({ chapter, verse }) => `${chapter}:${verse}` === ref)?.text })),
    };
  },
  tmx: (path, facts) => {
    const parts = partsOf(parseAllText(textOf(path), tmxParser(place(path))));
    const units = parts.filter((one) => one.kind === 'unit');
    const header = parts.find((one) => one.kind === 'header');
    const variants = units.flatMap((unit) => unit.variants);
    return {
      tmx_version: header?.version,
      header_srclang: header?.sourceLanguage,
      units: units.length,
      tuv_per_language: countsOf(variants.map(({ language }) => language)),
      segs_with_inline_elements: variants.filter(({ hasMarkup }) => hasMarkup).length,
      ...('example_pair' in facts ? { example_pair: Object.fromEntries(units[0]?.variants.map(({ language, text }) => [language, text]) ?? []) } : {}),
    };
  },
  xliff: (path, facts) => {
    const parts = partsOf(parseAllText(textOf(path), xliffParser(place(path))));
    const units = parts.filter((one) => one.kind === 'unit');
    const segments = units.flatMap((unit) => unit.segments);
    const wanted = facts['example'] as { readonly id: string } | undefined;
    const example = units.find(({ id }) => id === wanted?.id);
    return {
      version: parts.find((one) => one.kind === 'header')?.version,
      files: parts.filter(({ kind }) => kind === 'file').length,
      source_language: units[0]?.sourceLanguage,
      target_language: units[0]?.targetLanguage,
      segments: segments.length,
      units: units.length,
      source_elements_inside_units: segments.length,
      target_elements_inside_units: segments.filter(({ target }) => target !== null).length,
      example: { id: example?.id, source: example?.segments[0]?.source, target: example?.segments[0]?.target },
    };
  },
  conllu: (path) => {
    const sentences = partsOf(parseAllLines(textOf(path), conlluParser()));
    const tokens = sentences.flatMap((sentence) => sentence.tokens);
    const english = sentences.flatMap(({ id, text, translations }) => translations.filter(({ language }) => language === 'en').map((one) => ({ sent_id: id, text, text_en: one.text })));
    return {
      sentences: sentences.length,
      syntactic_words_integer_ids: tokens.filter(({ id }) => /^\d+$/.test(id)).length,
      multiword_range_lines: tokens.filter(({ id }) => id.includes('-')).length,
      first_text: sentences[0]?.text,
      last_text: sentences.at(-1)?.text,
      sentences_with_text_en: english.length,
      first_text_en: english[0],
    };
  },
};

/** Facts about bytes, not about what the format says. */
const NOT_ASKED = new Set(['bytes', 'line_ending']);

describe.skipIf(!isThere)('the real samples', () => {
  const known = samples.flatMap((sample) => {
    const reading = readings[sample.format.split(' ')[0] ?? ''];
    return reading === undefined ? [] : [{ ...sample, reading }];
  });

  test('are some of each format', () => {
    expect(new Set(known.map(({ format }) => format.split(' ')[0])).size).toBe(Object.keys(readings).length);
  });

  test.each(known)('$path gives every fact of the manifest', ({ path, facts, reading }) => {
    const said = reading(path, facts);
    const wanted = Object.fromEntries(Object.entries(facts).filter(([name]) => !NOT_ASKED.has(name)));
    expect(Object.keys(wanted).filter((name) => !(name in said))).toEqual([]);
    expect(said).toMatchObject(wanted);
  });
});
