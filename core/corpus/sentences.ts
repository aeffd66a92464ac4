/** Which sentences does a plain text hold? One per line; a blank line ends a document. */
import { readLineBatches } from '../base/text-lines.ts';
import { checkedText, corpusText } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import { record } from './records.ts';
import type { Reading, Sentence } from './records.ts';

/**
 * Streams the sentences of a text, each with the number of its document, from 0. Several blank lines end a document once.
 * @throws what readLineBatches throws ('corpus.empty-file' when there are only blank lines).
 */
export async function* readSentences(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<Sentence>> {
  for await (const readings of readSentenceBatches(path, signal, options)) yield* readings;
}

/** As readSentences, a batch at a time: the fast way for whole corpora. */
export async function* readSentenceBatches(path: string, signal: AbortSignal, options: ReadOptions = {}): AsyncGenerator<Reading<Sentence>[]> {
  let document = 0;
  let isOpen = false; // the document has a line already
  for await (const { firstLine, lines, notes } of readLineBatches(path, signal, corpusText(options))) {
    const readings: Reading<Sentence>[] = notes.map((note) => ({ kind: 'problem', problem: note }));
    let line = firstLine - 1;
    for (const text of lines) {
      line += 1;
      if (typeof text !== 'string') {
        isOpen = true;
        readings.push({ kind: 'problem', problem: text });
      } else if (text.trim() === '') {
        if (isOpen) document += 1;
        isOpen = false;
      } else {
        isOpen = true;
        const checked = checkedText(text, { path, line, what: 'a sentence', whole: text });
        readings.push(typeof checked === 'string' ? record({ text: checked, document, line }) : checked);
      }
    }
    yield readings;
  }
}
