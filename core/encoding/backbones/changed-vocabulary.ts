/** What becomes of a backbone whose vocabulary changes? The table and the head follow, the tokenizer's files are written anew. */
import type { BackboneTokenizer, TransformerBackbone } from '../backbone.ts';
import { backboneTokenizer, TOKENIZER_FILE } from './folder-tokenizer.ts';

const SMALL_FILES: readonly string[] = ['tokenizer_config.json', 'special_tokens_map.json'];
const FLOAT_BYTES = 4;
const TABLE = 'embeddings.token';
const HEAD_BIAS = 'mlm.bias';

export type VocabularyReport = {
  readonly piecesBefore: number;
  readonly piecesAfter: number;
  /** Of all parameters, in 32 bits. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
};

export type RowChange = { readonly tokenizer: BackboneTokenizer; readonly vocabularySize: number; readonly padTokenId: number; readonly rows: (values: Float32Array, width: number) => Float32Array };

/** The backbone with another tokenizer; `rows` makes the new rows of a table of vectors [V, width] from the old. */
export function withRows(backbone: TransformerBackbone, { tokenizer, vocabularySize, padTokenId, rows }: RowChange): TransformerBackbone {
  const parameters = new Map([...backbone.parameters].map(([name, values]) => [name, name === TABLE ? rows(values, backbone.shape.width) : name === HEAD_BIAS ? rows(values, 1) : values] as const));
  return { ...backbone, tokenizer, parameters, shape: { ...backbone.shape, vocabularySize, padTokenId } };
}

/** What a change of vocabulary did to the number of pieces and to the bytes of all parameters. */
export function reportOf(before: TransformerBackbone, after: TransformerBackbone): VocabularyReport {
  const bytes = ({ parameters }: TransformerBackbone): number => [...parameters.values()].reduce((sum, values) => sum + FLOAT_BYTES * values.length, 0);
  return { piecesBefore: before.shape.vocabularySize, piecesAfter: after.shape.vocabularySize, bytesBefore: bytes(before), bytesAfter: bytes(after) };
}

export type TokenizerObject = Readonly<Record<string, unknown>> & { readonly model: Readonly<Record<string, unknown>> };

/** The tokenizer.json of a backbone, parsed. */
export function tokenizerJson({ files }: BackboneTokenizer): TokenizerObject {
  return JSON.parse(Buffer.from(files.get(TOKENIZER_FILE) ?? []).toString('utf8')) as TokenizerObject; // boundary: the tokenizer was made from this very file
}

/** The tokenizer of a changed tokenizer.json; vocabulary files of older programs, which would contradict it, are left out. */
export function changedTokenizer(tokenizer: BackboneTokenizer, json: object, newIds: ReadonlyMap<number, number> | null): BackboneTokenizer {
  const files = new Map<string, Uint8Array>([[TOKENIZER_FILE, Buffer.from(JSON.stringify(json))]]);
  let config: Record<string, unknown> = {};
  for (const name of SMALL_FILES) {
    const bytes = tokenizer.files.get(name);
    if (bytes === undefined) continue;
    const content = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>; // boundary: read as an object when the folder was
    const decoder = content['added_tokens_decoder'];
    const renamed = newIds !== null && typeof decoder === 'object' && decoder !== null ? { ...content, added_tokens_decoder: Object.fromEntries(Object.entries(decoder).flatMap(([id, token]) => (newIds.has(Number(id)) ? [[String(newIds.get(Number(id))), token]] : []))) } : content;
    files.set(name, renamed === content ? bytes : Buffer.from(JSON.stringify(renamed)));
    config = { ...config, ...renamed };
  }
  return backboneTokenizer(files, config);
}
