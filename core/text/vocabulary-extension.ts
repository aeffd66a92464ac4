/** How does a finished vocabulary learn a new language without forgetting the old one? New pieces behind the old, old ids kept. */
import { createTokenizer } from './unigram-encoder.ts';
import { roundScore, type UnigramModel } from './unigram-trainer.ts';

export type ExtendUnigramOptions = {
  /**
   * How probable the new vocabulary is beside the old one, in (0, 1]: log(mix) is added to the scores of new pieces.
   * Small values make old text keep its cutting; default .05.
   */
  readonly mix?: number;
  /** Text in the old language (for instance the English side of the user's pairs); new pieces that are at home there are left out. */
  readonly protectedTexts?: Iterable<string>;
  /** A new piece is left out when protected text uses it at least this often relative to the new language; default .1. */
  readonly protectedShare?: number;
};

export type ExtendedUnigram = {
  /** Ids 0 .. base.pieces.length - 1 are the base's pieces; new pieces follow by falling score. */
  readonly model: UnigramModel;
  /** The first new id = base.pieces.length. */
  readonly firstNewId: number;
};

const DEFAULT_MIX = 0.05;
const DEFAULT_PROTECTED_SHARE = 0.1;
/** Leaving pieces out lets others in their place; after this many rounds what is left is rare. */
const PROTECTION_ROUNDS = 3;

/**
 * A joint model of `base` (shipped weights are keyed by its pieces) and `extra` (trained on the new language).
 *   score(piece) = base score                               when only the base has it
 *                = extra score + log(mix)                   when only the extra has it
 *                = max(base score, extra score + log(mix))  when both have it
 * Names and loan words that the new language's text shares with protected text stay cut as the base cuts them, which is what
 * starter weights need: their rows are trained already.
 * @throws InputError 'tokenizer.invalid' as createTokenizer does.
 */
export function extendUnigram(base: UnigramModel, extra: UnigramModel, options: ExtendUnigramOptions = {}): ExtendedUnigram {
  const { mix = DEFAULT_MIX, protectedShare = DEFAULT_PROTECTED_SHARE } = options;
  const firstNewId = base.pieces.length;
  const protectedTexts = options.protectedTexts === undefined ? [] : [...options.protectedTexts];
  const leftOut = new Set<string>();
  for (let round = 0; round < PROTECTION_ROUNDS && protectedTexts.length > 0; round += 1) {
    const model = join({ base, extra, mix, leftOut });
    const tokenizer = createTokenizer(model);
    const uses = new Float64Array(model.pieces.length);
    let total = 0;
    for (const text of protectedTexts) {
      for (const id of tokenizer.encode(text)) {
        uses[id] = (uses[id] ?? 0) + 1;
        total += 1;
      }
    }
    const before = leftOut.size;
    for (let id = firstNewId; id < model.pieces.length; id += 1) {
      const probability = Math.exp((model.scores[id] ?? 0) - Math.log(mix));
      if ((uses[id] ?? 0) / total > protectedShare * probability) leftOut.add(model.pieces[id] ?? '');
    }
    if (leftOut.size === before) break;
  }
  return { model: join({ base, extra, mix, leftOut }), firstNewId };
}

function join({ base, extra, mix, leftOut }: { readonly base: UnigramModel; readonly extra: UnigramModel; readonly mix: number; readonly leftOut: ReadonlySet<string> }): UnigramModel {
  const ids = new Map(base.pieces.map((piece, id) => [piece, id]));
  const pieces = [...base.pieces];
  const scores = [...base.scores];
  const shift = Math.log(mix);
  extra.pieces.forEach((piece, extraId) => {
    if (extraId === extra.unknownId || leftOut.has(piece)) return;
    const score = roundScore((extra.scores[extraId] ?? 0) + shift);
    const id = ids.get(piece);
    if (id === undefined) {
      pieces.push(piece);
      scores.push(score);
    } else if (id !== base.unknownId) scores[id] = Math.max(scores[id] ?? score, score);
  });
  return { pieces, scores, unknownId: base.unknownId };
}
