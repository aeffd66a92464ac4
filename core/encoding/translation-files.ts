/** How are the word translations of a model kept in its folder? The words as JSON, the numbers as bytes. */
import { z } from 'zod';
import type { TranslationTableData } from '../alignment/translation-table.ts';

/** The line of a table in the manifest: languages, and the name that its two files share. */
export const translationEntrySchema = z.object({ source: z.string(), target: z.string(), name: z.string().regex(/^translations\.[\w-]+$/) });
export type TranslationEntry = z.infer<typeof translationEntrySchema>;

const STEM = 'translations';

/** Lines for the manifest and the contents of the files, by their names. */
export function translationFiles(tables: readonly TranslationTableData[]): { readonly entries: TranslationEntry[]; readonly contents: ReadonlyMap<string, Uint8Array> } {
  const contents = new Map<string, Uint8Array>();
  const entries = tables.map((table) => {
    const name = `${STEM}.${table.sourceLanguage}-${table.targetLanguage}`;
    contents.set(`${name}.json`, Buffer.from(JSON.stringify({ sources: table.sources, targets: table.targets })));
    contents.set(`${name}.bin`, Buffer.concat([bytesOf(table.offsets), bytesOf(table.targetIds), bytesOf(table.probabilities)]));
    return { source: table.sourceLanguage, target: table.targetLanguage, name };
  });
  return { entries, contents };
}

const wordsSchema = z.object({ sources: z.array(z.string()), targets: z.array(z.string()) });

/** The tables of a manifest; `read` gives the checked bytes of a file. */
export async function readTranslations(entries: readonly TranslationEntry[], read: (name: string) => Promise<Buffer>): Promise<TranslationTableData[]> {
  const tables: TranslationTableData[] = [];
  for (const { source, target, name } of entries) {
    const words = wordsSchema.parse(JSON.parse((await read(`${name}.json`)).toString('utf8')));
    tables.push({ sourceLanguage: source, targetLanguage: target, ...words, ...unpack(await read(`${name}.bin`), words.sources.length) });
  }
  return tables;
}

function unpack(bytes: Buffer, rows: number): Pick<TranslationTableData, 'offsets' | 'targetIds' | 'probabilities'> {
  const words = new Uint32Array(alignedBuffer(bytes));
  const offsets = words.slice(0, rows + 1);
  const entries = offsets[rows] ?? 0;
  const probabilities = new Float32Array(words.slice(rows + 1 + entries).buffer);
  return { offsets, targetIds: words.slice(rows + 1, rows + 1 + entries), probabilities };
}

/** The bytes of an array, sharing its memory. */
export function bytesOf(array: Float16Array | Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** A copy whose start is aligned, as typed arrays demand. */
export function alignedBuffer(bytes: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
