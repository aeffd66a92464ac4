/** Which columns of a table hold source and target? What a person said, else what header and first rows show. */
import { InputError } from '../base/errors.ts';
import { isLanguageTag, parseLanguageTag, suggestLanguages } from '../text/language.ts';
import type { ColumnChoice, CorpusOptions, CorpusProposal } from './corpus-options.ts';
import { baseLanguage } from './parallel-tmx.ts';
import { usualColumns } from './table-rows.ts';

/** Columns by number from 0; `text` where sentences stand alone. */
export type TableColumns = { readonly hasHeader: boolean; readonly count: number; readonly source: number | null; readonly target: number | null; readonly text: number | null; readonly score: number | null; readonly minimumScore: number };

const SOURCE_NAMES = new Set(['source', 'src', 'sentence1', 'text1', 'original', 'source_text', 'source text', 'segment', 'vernacular', 'transcription', 'phrase', 'word', 'headword', 'lexeme']);
const TARGET_NAMES = new Set(['target', 'tgt', 'trg', 'sentence2', 'text2', 'translation', 'target_text', 'target text', 'free translation', 'gloss', 'meaning', 'definition']);
const TEXT_NAMES = new Set(['text', 'sentence', 'utterance', 'line', 'content']);
const SCORE_NAMES = new Set(['score', 'margin', 'similarity', 'laser', 'confidence', 'margin_score', 'laser_score']);
const OTHER_NAMES = new Set(['id', '_id', 'no', 'nr', '#', 'number', 'date', 'speaker', 'notes', 'note', 'comment', 'comments', 'page', 'file', 'ref', 'reference']);

/** Where a text is from, and on which terms, is no text to learn from. */
const PROVENANCE = /^https?:\/\/\S+$|\bCC[- ](?:BY|0)\b|\bcreative commons\b|©/i;
const NUMBER = /^-?\d+(?:[.,]\d+)?$/;
const SCORE = /^[0-9](?:\.\d+)?(?:[eE]-?\d+)?$/;
const HEADER_CHARACTERS = 40;
const LONGEST_CODE = 3;
const MOST = 0.9;
const MOSTLY_FILLED = 0.5;
/** Schwenk et al. 2021 (WikiMatrix), section 4: pairs above this margin are used. */
export const WIKIMATRIX_MARGIN = 1.04;
const WIKIMATRIX_COLUMNS = 3;

const folded = (cell: string): string => cell.trim().toLowerCase().replace(/^\uFEFF/, '');

/** The language a header cell names ("sw", "Swahili", "Kiswahili"), as a tag; null for none. */
function languageOf(cell: string): string | null {
  const text = folded(cell).replace(/^(?:text|sentence)[_ ]/, '');
  if (text === '' || [OTHER_NAMES, TEXT_NAMES, SOURCE_NAMES, TARGET_NAMES, SCORE_NAMES].some((names) => names.has(text))) return null;
  if (/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(text) && isLanguageTag(text)) {
    const { tag, language } = parseLanguageTag(text);
    if (language !== null && suggestLanguages(language, 1)[0]?.tag === language) return tag;
  }
  const [best] = text.length > 3 ? suggestLanguages(text, 1) : [];
  return best !== undefined && [best.englishName, best.ownName].some((name) => name.toLowerCase() === text) ? best.tag : null;
}

/** True when the first three columns of nearly all first rows are a margin and two texts. */
export function looksLikeWikiMatrix(rows: readonly (readonly string[])[]): boolean {
  const fitting = rows.filter(([score = '', source = '', target = '', ...rest]) => rest.length === 0 && SCORE.test(score.trim()) && target !== '' && !NUMBER.test(source.trim()));
  return rows.length > 0 && fitting.length / rows.length >= MOST && usualColumns(rows) === WIKIMATRIX_COLUMNS;
}

/** What a table offers. @param rows the first rows, header included. */
export function proposeColumns(rows: readonly (readonly string[])[]): CorpusProposal {
  const [first = []] = rows;
  const languages = first.map(languageOf);
  const isKnown = (cell: string): boolean => [SOURCE_NAMES, TARGET_NAMES, TEXT_NAMES, SCORE_NAMES, OTHER_NAMES].some((names) => names.has(folded(cell)));
  const isShort = first.every((cell) => cell.trim() !== '' && cell.length <= HEADER_CHARACTERS && !NUMBER.test(cell.trim()));
  const isAllNames = first.every((cell, i) => isKnown(cell) || (languages[i] !== null && cell.trim().length > LONGEST_CODE));
  const hasHeader = isShort && (rows.length > 1 || isAllNames) && (first.some(isKnown) || languages.filter((tag) => tag !== null).length >= Math.min(2, first.length));
  const body = hasHeader ? rows.slice(1) : rows;
  const count = usualColumns(rows);
  const names = Array.from({ length: count }, (_, i) => (hasHeader ? (first[i] ?? '').trim() : String(i + 1)));
  const find = (wanted: ReadonlySet<string>): number => (hasHeader ? first.findIndex((cell) => wanted.has(folded(cell))) : -1);
  const textual = Array.from({ length: count }, (_, i) => i).filter((i) => isTextual(body, i) && !(hasHeader && (SCORE_NAMES.has(folded(names[i] ?? '')) || OTHER_NAMES.has(folded(names[i] ?? '')))));
  const inLanguage = hasHeader ? languages.flatMap((tag, i) => (tag === null ? [] : [i])) : [];
  const score = hasHeader ? find(SCORE_NAMES) : looksLikeWikiMatrix(rows) ? 0 : -1;
  const named = [find(SOURCE_NAMES), find(TARGET_NAMES)];
  const [source = -1, target = -1] = inLanguage.length >= 2 ? inLanguage : named.every((i) => i >= 0) ? named : longest(body, textual);
  const choice = (i: number): ColumnChoice => (hasHeader ? (names[i] ?? i + 1) : i + 1);
  const hasPairs = source >= 0 && target >= 0;
  const text = hasPairs ? -1 : find(TEXT_NAMES) >= 0 ? find(TEXT_NAMES) : (textual[0] ?? 0);
  const texts = hasPairs ? [source, target] : [text];
  return {
    fields: names.map((name, i) => ({ kind: 'column', name, type: '', count: body.filter((cells) => (cells[i] ?? '').trim() !== '').length, example: (body.find((cells) => (cells[i] ?? '').trim() !== '')?.[i] ?? '').trim() })),
    mapping: {
      hasHeader,
      columns: hasPairs ? { source: choice(source), target: choice(target), ...(score >= 0 ? { score: choice(score) } : {}) } : { text: choice(text) },
      ...(hasPairs && looksLikeWikiMatrix(rows) ? { minimumScore: WIKIMATRIX_MARGIN } : {}),
    },
    languages: hasHeader && texts.every((i) => (languages[i] ?? null) !== null) ? texts.flatMap((i) => languages[i] ?? []) : [],
    hasPairs,
  };
}

const sameBase = (one: string, other: string): boolean => other !== '' && baseLanguage(one) === baseLanguage(other);

function isTextual(rows: readonly (readonly string[])[], column: number): boolean {
  const cells = rows.map((cells) => (cells[column] ?? '').trim()).filter((cell) => cell !== '');
  return cells.length >= rows.length * MOSTLY_FILLED && cells.length > 0 && cells.filter((cell) => /\p{L}/u.test(cell) && !NUMBER.test(cell) && !PROVENANCE.test(cell)).length / cells.length >= MOST;
}

/** The two columns with the longest texts, in the order of the table; with less than two texts nothing. */
function longest(rows: readonly (readonly string[])[], textual: readonly number[]): readonly number[] {
  if (textual.length < 2) return [];
  const mean = (column: number): number => rows.reduce((sum, cells) => sum + (cells[column] ?? '').length, 0);
  return textual.toSorted((a, b) => mean(b) - mean(a)).slice(0, 2).sort((a, b) => a - b);
}

/**
 * The columns to read: what was chosen, else what is proposed, turned where the header names the languages the other way round.
 * @throws InputError 'corpus.missing-column' naming the columns there are.
 */
export function resolveColumns(rows: readonly (readonly string[])[], { mapping = {}, languages = null }: Pick<CorpusOptions, 'mapping' | 'languages'>, path: string): TableColumns {
  const proposal = proposeColumns(rows);
  const chosen = mapping.columns ?? {};
  const byName = Object.values(chosen).some((choice) => typeof choice === 'string' && !/^\d+$/.test(choice));
  const hasHeader = mapping.hasHeader ?? (byName || (proposal.mapping.hasHeader ?? false));
  const [first = []] = rows;
  const count = Math.max(usualColumns(rows), 1);
  const numberOf = (choice: ColumnChoice | undefined): number | null => {
    if (choice === undefined) return null;
    const named = hasHeader && typeof choice === 'string' ? first.findIndex((cell) => folded(cell) === folded(choice)) : -1;
    const number = named >= 0 ? named : /^\d+$/.test(String(choice)) ? Number(choice) - 1 : -1;
    if (number >= 0 && number < count) return number;
    const there = hasHeader ? first.map((cell) => `"${cell.trim()}"`).join(', ') : `1 to ${count}`;
    throw new InputError('corpus.missing-column', `${path}: expected a column "${String(choice)}", found the columns ${there}. Choose one of them.`, { data: { path, column: String(choice) } });
  };
  const isSaid = chosen.source !== undefined || chosen.target !== undefined || chosen.text !== undefined;
  const columns = isSaid ? chosen : { ...proposal.mapping.columns, ...(chosen.score === undefined ? {} : { score: chosen.score }) };
  const [inFirst = '', inSecond = ''] = proposal.languages;
  const isTurned = !isSaid && languages !== null && sameBase(languages.source, inSecond) && sameBase(languages.target, inFirst);
  return {
    hasHeader,
    count,
    source: numberOf(isTurned ? columns.target : columns.source),
    target: numberOf(isTurned ? columns.source : columns.target),
    text: numberOf(columns.text ?? (columns.target === undefined ? columns.source : undefined)),
    score: numberOf(columns.score),
    minimumScore: mapping.minimumScore ?? proposal.mapping.minimumScore ?? Number.NEGATIVE_INFINITY,
  };
}
