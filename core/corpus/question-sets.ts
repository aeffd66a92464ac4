/** Which questions with passages do the published training sets hold (DPR and Natural Questions, Mr.TyDi and MIRACL, SQuAD and XQuAD, MS MARCO)? */
import { FOUND_LIMIT } from '../base/text-files.ts';
import { readJsonItems } from './json-items.ts';
import { checkedText, readLineRecordBatches } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { flatMapReadings } from './parsed-files.ts';
import { problem, record, withTitle } from './records.ts';
import type { QuestionPair, Reading } from './records.ts';

type Fields = ReadonlyMap<string, unknown>;

const fieldsOf = (value: unknown): Fields => new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (fields: Fields, ...names: readonly string[]): string => {
  for (const name of names) {
    const value = fields.get(name);
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return '';
};

/** Hard negatives of one question that are kept. */
const MOST_NEGATIVES = 32;

type Passage = { readonly id: string; readonly title: string; readonly text: string };

const passageOf = (value: unknown): Passage => {
  const fields = fieldsOf(value);
  return { id: textOf(fields, 'passage_id', 'psg_id', 'docid', '_id', 'id'), title: textOf(fields, 'title'), text: textOf(fields, 'text', 'passage', 'contents') };
};

/** A pair for each passage that answers; a problem where question or passages are missing, and for each text with half characters, which become U+FFFD. */
function pairsOf({ query, queryId, positives, negatives, path, line, shown }: { readonly query: string; readonly queryId: string; readonly positives: readonly Passage[]; readonly negatives: readonly Passage[]; readonly path: string; readonly line: number; readonly shown: unknown }): Reading<QuestionPair>[] {
  const found = (): string => (JSON.stringify(shown) ?? '').slice(0, FOUND_LIMIT);
  if (query === '') return [problem('missing-field', { path, line, expected: 'a question', found: found() })];
  const usable = positives.filter(({ text }) => text !== '');
  if (usable.length === 0) return [problem('missing-field', { path, line, expected: `a passage that answers "${query}"`, found: found() })];
  const mended: Reading<QuestionPair>[] = [];
  const whole = (text: string): string => {
    if (text.isWellFormed()) return text;
    mended.push(problem('half-character', { path, line, expected: 'whole Unicode characters (lone surrogates are replaced by U+FFFD)', found: text }));
    return text.toWellFormed();
  };
  const question = whole(query);
  const wrong = negatives.filter(({ text }) => text !== '').slice(0, MOST_NEGATIVES).map(({ title, text }) => whole(withTitle(text, title)));
  const pairs = usable.map(({ id, title, text }) =>
    record({ query: question, passage: whole(text), ...(title === '' ? {} : { title: whole(title) }), ...(queryId === '' ? {} : { queryId: queryId.toWellFormed() }), ...(id === '' ? {} : { documentId: id.toWellFormed() }), ...(wrong.length === 0 ? {} : { negatives: wrong }) }),
  );
  return [...mended, ...pairs];
}

/** `[{"question", "positive_ctxs": [{"title", "text", "passage_id"}], "hard_negative_ctxs"}]`. @see Karpukhin et al. 2020 (DPR), whose form of Natural Questions this is. */
export function readDprPairs(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<QuestionPair>[]> {
  return flatMapReadings(readJsonItems(path, signal, options, null), ({ value, line }) => {
    const fields = fieldsOf(value);
    return pairsOf({ query: textOf(fields, 'question', 'query'), queryId: textOf(fields, 'id', 'qid'), positives: listOf(fields.get('positive_ctxs')).map(passageOf), negatives: [...listOf(fields.get('hard_negative_ctxs')), ...listOf(fields.get('negative_ctxs'))].map(passageOf), path, line, shown: value });
  });
}

/** `{"query_id", "query", "positive_passages": [{"docid", "title", "text"}], "negative_passages"}` a line. @see Zhang et al. 2021 (Mr.TyDi), 2023 (MIRACL). */
export function readPassageLines(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<QuestionPair>[]> {
  const parse = (text: string, line: number): Reading<readonly Reading<QuestionPair>[]> => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      return problem('not-json', { path, line, expected: 'one JSON object on the line', found: text });
    }
    const fields = fieldsOf(value);
    return record(pairsOf({ query: textOf(fields, 'query', 'question'), queryId: textOf(fields, 'query_id', 'qid', 'id'), positives: listOf(fields.get('positive_passages')).map(passageOf), negatives: listOf(fields.get('negative_passages')).map(passageOf), path, line, shown: value }));
  };
  return flatMapReadings(readLineRecordBatches(path, signal, parse, options), (readings) => readings);
}

/** `{"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question", "is_impossible"}]}]}]}`; unanswerable questions are left out. @see Rajpurkar et al. 2016, Artetxe et al. 2020 (XQuAD). */
export function readSquadPairs(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<QuestionPair>[]> {
  let paragraphs = 0;
  return flatMapReadings(readJsonItems(path, signal, options, 'data'), ({ value, line }) => {
    const article = fieldsOf(value);
    const title = textOf(article, 'title').replaceAll('_', ' ');
    return listOf(article.get('paragraphs')).flatMap((one) => {
      const paragraph = fieldsOf(one);
      paragraphs += 1;
      const passage = { id: `paragraph-${paragraphs}`, title, text: textOf(paragraph, 'context') };
      return listOf(paragraph.get('qas')).flatMap((asked) => {
        const question = fieldsOf(asked);
        if (question.get('is_impossible') === true) return [];
        return pairsOf({ query: textOf(question, 'question'), queryId: textOf(question, 'id'), positives: [passage], negatives: [], path, line, shown: asked });
      });
    });
  });
}

const TRIPLE_COLUMNS = 3;

/** `query<tab>passage that answers<tab>passage that does not` a line. @see Bajaj et al. 2016 (MS MARCO), triples.train. */
export function readTriples(path: string, signal: AbortSignal, options: ReadOptions): AsyncGenerator<Reading<QuestionPair>[]> {
  return readLineRecordBatches(
    path,
    signal,
    (text, line) => {
      const [query = '', positive = '', negative = '', ...rest] = text.split('\t');
      if (rest.length > 0 || negative === '') return problem('column-count', { path, line, expected: `${TRIPLE_COLUMNS} columns separated by tabs`, found: `${text.split('\t').length} in "${text}"` });
      const checked = [query, positive, negative].map((cell) => checkedText(cell, { path, line, what: 'a question, a passage and a negative', whole: text }));
      const bad = checked.find((one) => typeof one !== 'string');
      if (bad !== undefined && typeof bad !== 'string') return bad;
      const [question, passage, wrong] = checked.filter((one) => typeof one === 'string');
      return record({ query: question ?? '', passage: passage ?? '', negatives: [wrong ?? ''] });
    },
    options,
  );
}
