/** How do the parsers of core/formats read a file of a corpus, as a stream? */
import { readTextPieces } from '../base/text-files.ts';
import { readLineBatches } from '../base/text-lines.ts';
import { faultProblem } from '../formats/parsing.ts';
import type { LineParser, Parsed, PieceParser } from '../formats/parsing.ts';
import { xmlEncoding } from '../formats/xml.ts';
import { corpusText } from './line-records.ts';
import type { ReadOptions } from './line-records.ts';
import type { Reading } from './records.ts';

const readingsOf = <T>(parsed: readonly Parsed<T>[], path: string): Reading<T>[] =>
  parsed.map((one) => (one.kind === 'part' ? { kind: 'record', value: one.part } : { kind: 'problem', problem: faultProblem(one.fault, { path, area: 'corpus' }) }));

/** The parts of an XML file, a batch at a time. @throws what readTextPieces and the parser throw. */
export async function* readXmlParts<T>(path: string, signal: AbortSignal, options: ReadOptions, makeParser: (place: { readonly path: string; readonly area: 'corpus' }) => PieceParser<T>): AsyncGenerator<Reading<T>[]> {
  const parser = makeParser({ path, area: 'corpus' });
  for await (const { text, isDamaged } of readTextPieces(path, signal, { ...corpusText(options), declared: xmlEncoding })) yield readingsOf(parser.push(text, isDamaged), path);
  yield readingsOf(parser.end(), path);
}

/** The parts of a file of lines, a batch at a time. A line that cannot be decoded is a problem; the parser sees an empty one. @throws what readLineBatches throws. */
export async function* readLineParts<T>(path: string, signal: AbortSignal, options: ReadOptions, parser: LineParser<T>): AsyncGenerator<Reading<T>[]> {
  for await (const { firstLine, lines, notes } of readLineBatches(path, signal, corpusText(options))) {
    const readings: Reading<T>[] = notes.map((note) => ({ kind: 'problem', problem: note }));
    lines.forEach((text, i) => {
      if (typeof text !== 'string') readings.push({ kind: 'problem', problem: text });
      else for (const reading of readingsOf(parser.push(text, firstLine + i), path)) readings.push(reading);
    });
    yield readings;
  }
  yield readingsOf(parser.end(), path);
}

/** Batches of readings with every record turned into any number of others. */
export async function* flatMapReadings<From, To>(batches: AsyncIterable<readonly Reading<From>[]>, map: (value: From) => readonly Reading<To>[]): AsyncGenerator<Reading<To>[]> {
  for await (const readings of batches) {
    const mapped: Reading<To>[] = [];
    for (const reading of readings) {
      if (reading.kind === 'problem') mapped.push(reading);
      else for (const one of map(reading.value)) mapped.push(one);
    }
    yield mapped;
  }
}

/** The records of batches; problems are left to who asks again. */
export async function* recordsIn<T>(batches: AsyncIterable<readonly Reading<T>[]>): AsyncGenerator<T> {
  for await (const readings of batches) for (const reading of readings) if (reading.kind === 'record') yield reading.value;
}
