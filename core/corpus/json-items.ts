/** Which items does a big JSON array hold? Streamed: one item in memory at a time. */
import { InputError } from '../base/errors.ts';
import { printable, readTextPieces } from '../base/text-files.ts';
import { corpusText } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { problem, record } from './records.ts';
import type { Reading } from './records.ts';

export type JsonItem = { readonly value: unknown; readonly line: number; readonly index: number };

const ITEM_LIMIT = 64 * 1024 * 1024; // characters
const DEPTH_LIMIT = 256;

/**
 * Streams the items of the root array, or of the array under `key` in the root object. An item that does not parse
 * ('corpus.not-json') is a problem with its line; a file that ends inside an item gives one ('corpus.truncated-json').
 * @throws InputError 'corpus.no-array', 'corpus.record-too-long', 'corpus.json-too-deep'; what readTextPieces throws.
 */
export async function* readJsonItems(path: string, signal: AbortSignal, options: ReadOptions, key: string | null): AsyncGenerator<Reading<JsonItem>[]> {
  const cutter = new ItemCutter(path, key);
  for await (const { text } of readTextPieces(path, signal, corpusText(options))) yield cutter.push(text);
  yield cutter.end();
}

class ItemCutter {
  private readonly path: string;
  private readonly arrayDepth: number;
  private readonly key: string | null;
  private depth = 0;
  private isString = false;
  private isEscaped = false;
  private line = 1;
  private index = 0;
  private isInArray = false;
  private isPast = false;
  private lastString = '';
  private item = '';
  private itemLine = 1;
  private hasRoot = false;

  constructor(path: string, key: string | null) {
    this.path = path;
    this.key = key;
    this.arrayDepth = key === null ? 1 : 2;
  }

  push(text: string): Reading<JsonItem>[] {
    const readings: Reading<JsonItem>[] = [];
    let start = 0; // of the item in this piece
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 10) this.line += 1;
      if (this.isString) {
        if (this.isEscaped) this.isEscaped = false;
        else if (code === 92) this.isEscaped = true;
        else if (code === 34) this.isString = false;
        if (!this.isInArray && this.depth === 1 && this.isString && this.lastString.length < 100) this.lastString += text[at] ?? '';
        continue;
      }
      if (code === 34) {
        this.isString = true;
        if (!this.isInArray && this.depth === 1) this.lastString = '';
      } else if (code === 91 || code === 123) {
        this.depth += 1;
        if (this.depth > DEPTH_LIMIT) throw this.refusal('json-too-deep', `expected at most ${DEPTH_LIMIT} levels, found more.`);
        if (!this.hasRoot) {
          this.hasRoot = true;
          if ((code === 91) !== (this.key === null)) throw this.noArray();
        }
        if (!this.isInArray && !this.isPast && code === 91 && this.depth === this.arrayDepth && (this.key === null || this.lastString === this.key)) {
          this.isInArray = true;
          this.itemLine = this.line;
          start = at + 1;
        }
      } else if (code === 93 || code === 125) {
        if (this.isInArray && this.depth === this.arrayDepth) {
          this.take(text.slice(start, at), readings);
          this.isInArray = false;
          this.isPast = true;
        }
        this.depth -= 1;
      } else if (code === 44 && this.isInArray && this.depth === this.arrayDepth) {
        this.take(text.slice(start, at), readings);
        start = at + 1;
        this.itemLine = this.line;
      } else if (!this.hasRoot && code > 32 && code !== 0xfeff) throw this.noArray();
    }
    if (this.isInArray) {
      this.item += text.slice(start);
      if (this.item.length > ITEM_LIMIT) throw this.refusal('record-too-long', `expected at most ${ITEM_LIMIT} characters in an item, found more in the one that begins at line ${this.itemLine}.`);
    }
    return readings;
  }

  end(): Reading<JsonItem>[] {
    if (!this.hasRoot || (!this.isInArray && !this.isPast)) throw this.noArray();
    return this.isInArray ? [problem('truncated-json', { path: this.path, line: this.itemLine, expected: 'a whole file', found: `the end of the file inside item ${this.index + 1}` })] : [];
  }

  private take(rest: string, readings: Reading<JsonItem>[]): void {
    const text = this.item + rest;
    this.item = '';
    if (text.trim() === '') return;
    const line = this.itemLine + text.slice(0, text.length - text.trimStart().length).split('\n').length - 1;
    this.index += 1;
    try {
      const value: unknown = JSON.parse(text);
      readings.push(record({ value, line, index: this.index }));
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      readings.push(problem('not-json', { path: this.path, line, expected: `item ${this.index} to be JSON`, found: `${printable(thrown.message, 100)}: ${text.trim()}` }));
    }
  }

  private noArray(): InputError {
    return this.refusal('no-array', this.key === null ? 'expected a JSON array of items, found something else.' : `expected a JSON object with an array under "${this.key}", found none.`);
  }

  private refusal(reason: string, sentence: string): InputError {
    return new InputError(`corpus.${reason}`, `${this.path}: line ${this.line}: ${sentence}`, { data: { path: this.path, line: this.line } });
  }
}
