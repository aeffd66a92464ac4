/** How is a tokenizer kept in a file? As tokenizer.json, which @huggingface/tokenizers loads and encodes identically. */
import { modelNormaliserSteps, normaliseForModel, WORD_START, type NormaliserStep } from './normalise.ts';
import { checkTree, expectObject, invalid, LARGEST_VOCABULARY, parseTokenizerText, unsupported } from './tokenizer-guards.ts';
import { createTokenizer, type Tokenizer } from './unigram-encoder.ts';
import type { UnigramModel } from './unigram-trainer.ts';

export { createTokenizer, type Tokenizer } from './unigram-encoder.ts';
export { LARGEST_TOKENIZER_BYTES, LARGEST_VOCABULARY } from './tokenizer-guards.ts';

const LONGEST_PIECE_UNITS = 1024;

/** The object to write as tokenizer.json: JSON.stringify it as it is. */
export type TokenizerJson = {
  readonly version: '1.0';
  readonly truncation: null;
  readonly padding: null;
  readonly added_tokens: readonly never[];
  readonly normalizer: { readonly type: 'Sequence'; readonly normalizers: readonly NormaliserStep[] };
  readonly pre_tokenizer: { readonly type: 'Metaspace'; readonly replacement: string; readonly prepend_scheme: 'always'; readonly split: true };
  readonly post_processor: null;
  readonly decoder: { readonly type: 'Metaspace'; readonly replacement: string; readonly prepend_scheme: 'always'; readonly split: true };
  readonly model: { readonly type: 'Unigram'; readonly unk_id: number; readonly vocab: readonly (readonly [string, number])[]; readonly byte_fallback: false };
};

/** A model (or a tokenizer) in the words of tokenizer.json: our normaliser, Metaspace, Unigram pieces with their scores. */
export function writeTokenizer(model: UnigramModel): TokenizerJson {
  const metaspace = { type: 'Metaspace', replacement: WORD_START, prepend_scheme: 'always', split: true } as const;
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: { type: 'Sequence', normalizers: modelNormaliserSteps },
    pre_tokenizer: metaspace,
    post_processor: null,
    decoder: metaspace,
    model: { type: 'Unigram', unk_id: model.unknownId, vocab: model.pieces.map((piece, id) => [piece, model.scores[id] ?? 0] as const), byte_fallback: false },
  };
}

/**
 * Reads a Unigram tokenizer.json: its text, or what JSON.parse made of it.
 * Accepted: the normalisers of `NormaliserStep` (regular expressions only those of `writeTokenizer`; no foreign expression is
 * ever compiled), Metaspace that always prepends, Unigram without byte fallback. Post-processors (special ids around a text)
 * are not applied: `encode` gives no specials.
 * @throws InputError 'tokenizer.too-large', 'tokenizer.not-json', 'tokenizer.unsupported' or 'tokenizer.invalid'.
 */
export function readTokenizer(json: unknown): Tokenizer {
  const root = typeof json === 'string' ? parseTokenizerText(json) : json;
  checkTree(root);
  const file = expectObject(root, 'tokenizer.json');
  const model = expectObject(file['model'], 'model');
  if (model['type'] !== 'Unigram') throw unsupported('model.type', 'Unigram', model['type']);
  if (model['byte_fallback'] === true) throw unsupported('model.byte_fallback', 'false', true);
  const preTokenizer = expectObject(file['pre_tokenizer'], 'pre_tokenizer');
  if (preTokenizer['type'] !== 'Metaspace' || preTokenizer['replacement'] !== WORD_START || (preTokenizer['prepend_scheme'] ?? 'always') !== 'always') {
    throw unsupported('pre_tokenizer', `Metaspace with "${WORD_START}" always prepended`, preTokenizer);
  }
  return createTokenizer(readModel(model), readNormaliser(file['normalizer']));
}

function readModel(model: Readonly<Record<string, unknown>>): UnigramModel {
  const vocabulary = model['vocab'];
  if (!Array.isArray(vocabulary)) throw invalid('model.vocab', 'a list of [piece, score]', vocabulary);
  if (vocabulary.length > LARGEST_VOCABULARY) throw invalid('model.vocab', `at most ${LARGEST_VOCABULARY} pieces`, vocabulary.length);
  const pieces: string[] = [];
  const scores: number[] = [];
  for (const row of vocabulary as readonly unknown[]) {
    if (!Array.isArray(row) || row.length !== 2) throw invalid(`model.vocab[${pieces.length}]`, '[piece, score]', row);
    const [piece, score] = row as readonly unknown[];
    if (typeof piece !== 'string' || typeof score !== 'number' || piece.length > LONGEST_PIECE_UNITS) throw invalid(`model.vocab[${pieces.length}]`, '[piece, score]', row);
    pieces.push(piece);
    scores.push(score);
  }
  const unknownId = model['unk_id'];
  if (typeof unknownId !== 'number') throw invalid('model.unk_id', 'a number', unknownId);
  return { pieces, scores, unknownId };
}

const WRITTEN_STEPS = JSON.stringify(modelNormaliserSteps);
const OUR_EXPRESSIONS: ReadonlySet<string> = new Set(modelNormaliserSteps.flatMap((step) => (step.type === 'Replace' && 'Regex' in step.pattern ? [step.pattern.Regex] : [])));

function readNormaliser(value: unknown): (text: string) => string {
  if (value === null || value === undefined) return (text) => text;
  const steps = flattenNormaliser(value);
  if (JSON.stringify(steps) === WRITTEN_STEPS) return normaliseForModel;
  const functions = steps.map(stepFunction);
  return (text) => functions.reduce((sofar, apply) => apply(sofar), text);
}

function flattenNormaliser(value: unknown): NormaliserStep[] {
  const step = expectObject(value, 'normalizer');
  const type = step['type'];
  switch (type) {
    case 'Sequence': {
      const inner = step['normalizers'];
      if (!Array.isArray(inner)) throw invalid('normalizer.normalizers', 'a list', inner);
      return inner.flatMap(flattenNormaliser);
    }
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD':
    case 'Lowercase':
      return [{ type }];
    case 'Strip':
      return [{ type, strip_left: step['strip_left'] === true, strip_right: step['strip_right'] === true }];
    case 'Replace': {
      const pattern = expectObject(step['pattern'], 'normalizer.pattern');
      const content = step['content'];
      if (typeof content !== 'string') throw invalid('normalizer.content', 'a text', content);
      if (typeof pattern['String'] === 'string') return [{ type, pattern: { String: pattern['String'] }, content }];
      if (typeof pattern['Regex'] === 'string' && OUR_EXPRESSIONS.has(pattern['Regex'])) return [{ type, pattern: { Regex: pattern['Regex'] }, content }];
      throw unsupported('normalizer.pattern', 'a plain text, or an expression that Isogloss writes', pattern);
    }
    default:
      throw unsupported('normalizer.type', 'NFC, NFD, NFKC, NFKD, Lowercase, Strip, Replace or Sequence', type);
  }
}

function stepFunction(step: NormaliserStep): (text: string) => string {
  switch (step.type) {
    case 'Lowercase':
      return (text) => text.toLowerCase();
    case 'Strip':
      return (text) => {
        const left = step.strip_left ? text.trimStart() : text;
        return step.strip_right ? left.trimEnd() : left;
      };
    case 'Replace': {
      const { content, pattern } = step;
      if ('String' in pattern) return (text) => text.replaceAll(pattern.String, () => content);
      const expression = new RegExp(pattern.Regex === '\\s+' ? '\\p{White_Space}+' : pattern.Regex, 'gu');
      return (text) => text.replace(expression, () => content);
    }
    default:
      return (text) => text.normalize(step.type);
  }
}
