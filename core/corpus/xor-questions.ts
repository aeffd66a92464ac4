/** What do the files of XOR-Retrieve hold? Questions with their answers (JSON lines), and the passages a system found for each (one JSON array). */
import { InputError } from '../base/errors.ts';
import { readLineRecordBatches, type ReadOptions } from './line-records.ts';
import { readJsonItems } from './json-items.ts';
import { flatMapReadings } from './parsed-files.ts';
import { problem, record, type CorpusProblem, type Reading } from './records.ts';

/** `answers`: any of them; "yes" and "no" among them. */
export type XorQuestion = { readonly id: string; readonly question: string; readonly language: string; readonly answers: readonly string[]; readonly line: number };

/** `passages`: texts, best first. */
export type XorPrediction = { readonly id: string; readonly language: string; readonly passages: readonly string[] };

const SHOWN = 200;

/**
 * `{"id", "question", "lang", "answers": [...], "split"?}` a line (xor_dev_retrieve_eng_span.jsonl and its like).
 * @yields problems for lines that are no JSON ('corpus.not-json') or lack a field ('corpus.missing-field').
 * @see Asai et al. 2021, https://nlp.cs.washington.edu/xorqa/
 */
export function readXorQuestions(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<XorQuestion>[]> {
  return readLineRecordBatches(path, signal, (text, line): Reading<XorQuestion> => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      return problem('not-json', { path, line, expected: 'a JSON object', found: text.slice(0, SHOWN) });
    }
    const { id, question, lang, answers } = fieldsOf(value);
    if (!isName(id) || typeof question !== 'string' || question.trim() === '' || typeof lang !== 'string' || !isTexts(answers)) {
      return problem('missing-field', { path, line, expected: '"id", "question", "lang" and a list "answers"', found: text.slice(0, SHOWN) });
    }
    return record({ id: String(id), question: question.trim(), language: lang, answers, line });
  }, options);
}

/** `[{"id", "lang", "ctxs": ["text", ...]}, ...]`; an entry of `ctxs` may be an object with "text". @yields problems as readXorQuestions. */
export function readXorPredictions(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<XorPrediction>[]> {
  return flatMapReadings(readJsonItems(path, signal, options, null), ({ value, line }) => {
    const { id, lang, ctxs } = fieldsOf(value);
    const passages = Array.isArray(ctxs) ? ctxs.map((one: unknown) => (typeof one === 'string' ? one : fieldsOf(one)['text'])) : null;
    if (!isName(id) || typeof lang !== 'string' || passages === null || !isTexts(passages)) {
      return [problem('missing-field', { path, line, expected: '"id", "lang" and a list of texts "ctxs"', found: (JSON.stringify(value) ?? '').slice(0, SHOWN) })];
    }
    return [record({ id: String(id), language: lang, passages })];
  });
}

/** All questions, each id once (the first stays). @throws InputError 'corpus.nothing-usable'; what the reader throws. */
export async function collectXorQuestions(path: string, signal: AbortSignal): Promise<{ readonly questions: readonly XorQuestion[]; readonly problems: readonly CorpusProblem[] }> {
  const questions = new Map<string, XorQuestion>();
  const problems: CorpusProblem[] = [];
  for await (const readings of readXorQuestions(path, signal)) {
    for (const reading of readings) {
      if (reading.kind === 'problem') problems.push(reading.problem);
      else if (questions.has(reading.value.id)) problems.push(problem('repeated-id', { path, line: reading.value.line, id: reading.value.id, expected: 'each id once', found: reading.value.id }).problem);
      else questions.set(reading.value.id, reading.value);
    }
  }
  if (questions.size === 0) throw new InputError('corpus.nothing-usable', `${path}: expected questions, one JSON object a line with "id", "question", "lang" and "answers", found none that can be used.`, { data: { path } });
  return { questions: [...questions.values()], problems };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function isName(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
