/** Which objects does a JSONL file hold? One JSON object per line; fields are asked for by name, several names per field. */
import { readLineRecords } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { problem } from './records.ts';
import type { Reading } from './records.ts';

/** One parsed line, asked field by field. `problem` is set by the first field that is missing or wrong. */
export type JsonLine = {
  readonly line: number;
  /** The text of the first of these names that is there, trimmed; a missing or empty field makes the line a problem. */
  readonly text: (...names: readonly string[]) => string;
  /** As `text`, but undefined when none of the names is there or the value is empty or null. */
  readonly optionalText: (...names: readonly string[]) => string | undefined;
  /** The texts of the first of these names that is there, a list or one text, trimmed, without empty ones; none when no name is there. */
  readonly texts: (...names: readonly string[]) => readonly string[];
};

/** Thrown and caught in this file only: carries a problem out of nested field access. */
class FieldProblem extends Error {
  readonly reading: ReturnType<typeof problem>;
  constructor(reading: ReturnType<typeof problem>) {
    super(reading.problem.message);
    this.reading = reading;
  }
}

/**
 * Streams the objects of a JSONL file through `parse`. A line that is not JSON ('corpus.not-json'), not an object
 * ('corpus.not-an-object'), without a field ('corpus.missing-field') or with one of the wrong type ('corpus.wrong-type')
 * is a problem. Half characters are replaced by U+FFFD and counted ('corpus.half-character'). Unknown fields are left alone.
 */
export function readJsonLines<T>(path: string, signal: AbortSignal, parse: (line: JsonLine) => T, options: ReadOptions = {}): AsyncGenerator<Reading<T>> {
  return readLineRecords(path, signal, (text, line) => parseJsonLine({ path, text, line }, parse), options);
}

function parseJsonLine<T>(place: { readonly path: string; readonly text: string; readonly line: number }, parse: (line: JsonLine) => T): Reading<T> | readonly Reading<T>[] {
  const { path, text, line } = place;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? ` (${thrown.message})` : '';
    return problem('not-json', { path, line, expected: 'one JSON object on the line', found: `text that does not parse${reason}: ${text}` });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return problem('not-an-object', { path, line, expected: 'a JSON object in braces', found: text });
  }
  const fields = new Map<string, unknown>(Object.entries(value));
  const mended: ReturnType<typeof problem>[] = [];
  const whole = (field: string, name: string): string => {
    if (field.isWellFormed()) return field;
    mended.push(problem('half-character', { path, line, expected: `whole Unicode characters in the field "${name}" (lone surrogates are replaced by U+FFFD)`, found: field }));
    return field.toWellFormed();
  };
  const optionalText = (...names: readonly string[]): string | undefined => {
    for (const name of names) {
      const field = fields.get(name);
      if (field === undefined || field === null) continue;
      if (typeof field === 'number') return String(field); // identifiers are often numbers
      if (typeof field !== 'string') throw new FieldProblem(problem('wrong-type', { path, line, expected: `text in the field "${name}"`, found: JSON.stringify(field) }));
      const trimmed = whole(field, name).trim();
      if (trimmed !== '') return trimmed;
    }
    return undefined;
  };
  const requiredText = (...names: readonly string[]): string => {
    const found = optionalText(...names);
    if (found !== undefined) return found;
    const expected = `text in the field ${names.map((name) => `"${name}"`).join(' or ')}`;
    throw new FieldProblem(problem('missing-field', { path, line, expected, found: `the fields ${[...fields.keys()].map((name) => `"${name}"`).join(', ')}` }));
  };
  const texts = (...names: readonly string[]): readonly string[] => {
    const name = names.find((one) => fields.get(one) !== undefined && fields.get(one) !== null);
    const found: unknown = name === undefined ? [] : fields.get(name);
    const list: readonly unknown[] = Array.isArray(found) ? found : [found];
    return list.flatMap((value) => {
      if (typeof value !== 'string') throw new FieldProblem(problem('wrong-type', { path, line, expected: `a list of texts in the field "${name ?? ''}"`, found: JSON.stringify(value) }));
      const text = whole(value, name ?? '').trim();
      return text === '' ? [] : [text];
    });
  };
  try {
    const record = { kind: 'record' as const, value: parse({ line, text: requiredText, optionalText, texts }) };
    return mended.length === 0 ? record : [...mended, record];
  } catch (thrown) {
    if (thrown instanceof FieldProblem) return thrown.reading;
    throw thrown;
  }
}
