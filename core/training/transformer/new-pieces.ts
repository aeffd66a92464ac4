/** Which pieces does a backbone gain from a project's own languages, and where do their vectors begin? */
import { InputError } from '../../base/errors.ts';
import type { TransformerBackbone } from '../../encoding/backbone.ts';
import { tokenizerJson } from '../../encoding/backbones/changed-vocabulary.ts';
import { extendVocabulary, type LearnedPieces, type NewPieceStart } from '../../encoding/backbones/extend-vocabulary.ts';
import { learnMerges } from '../../encoding/backbones/learn-merges.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { ReportTraining } from '../events.ts';
import type { SplitCorpora } from '../prepare.ts';
import type { BackboneRecipe } from '../recipe-schema.ts';
import { textsByLanguage, vocabularyTexts } from '../vocabulary.ts';

/** Texts of the pivot that say which pieces are at home there; more change no piece. */
const MOST_PROTECTED_TEXTS = 20_000;

type NewPieces = NonNullable<BackboneRecipe['encoder']['newPieces']> & { readonly split: SplitCorpora; readonly signal: AbortSignal; readonly report: ReportTraining };

/**
 * The backbone with at most `count` more pieces, learned from the texts of all languages but the pivot; the same corpora give the same pieces.
 * @throws InputError 'recipe.new-pieces' when there is no text in another language; as `trainUnigram`, `learnMerges` and `extendVocabulary`.
 */
export async function withNewPieces(backbone: TransformerBackbone, { count, start, split, signal, report }: NewPieces): Promise<TransformerBackbone> {
  const { corpora, pivot } = split;
  const texts = new Map([...textsByLanguage(corpora, pivot)].filter(([language]) => language !== pivot));
  if (![...texts.values()].some((list) => list.length > 0)) throw new InputError('recipe.new-pieces', `"encoder/newPieces": expected texts or pairs in a language other than "${pivot}" to learn pieces from, found none. Add some, or take the key out of the recipe.`);
  const protectedTexts = (textsByLanguage(corpora, pivot).get(pivot) ?? []).slice(0, MOST_PROTECTED_TEXTS);
  const progress = (done: number, total: number | null, unit: string): void => { report({ kind: 'progress', phase: 'vocabulary', done, total, unit, leftMs: null }); };
  const json = tokenizerJson(backbone.tokenizer);
  const extra: LearnedPieces = json.model['type'] === 'BPE'
    ? { merges: await learnMerges(json, { texts: vocabularyTexts(texts), count, protectedTexts, signal, report: ({ done, total }) => { progress(done, total, 'pieces'); } }) }
    : await trainUnigram({ texts: vocabularyTexts(texts), vocabularySize: count + 1, signal, report: ({ done, total, unit }) => { progress(done, total, unit); } }); // its unknown piece is not added
  const { backbone: longer, newPieces } = await extendVocabulary(backbone, { extra, start: startOf(split, start), protectedTexts, signal });
  report({ kind: 'message', code: 'training.new-pieces', message: `The backbone gains ${newPieces.length.toLocaleString('en')} pieces from the texts in ${[...texts.keys()].join(', ')}; it has ${longer.shape.vocabularySize.toLocaleString('en')} now.` });
  return longer;
}

function startOf({ corpora, pivot }: SplitCorpora, start: NewPieces['start']): NewPieceStart {
  if (start === 'average') return { kind: 'average' };
  const pairs = corpora.parallel.flatMap(({ source, target, pairs: own }) => {
    if (source === pivot) return own.map((pair) => ({ text: pair.target, pivot: pair.source }));
    return target === pivot ? own.map((pair) => ({ text: pair.source, pivot: pair.target })) : [];
  });
  return pairs.length === 0 ? { kind: 'average' } : { kind: 'translations', pairs };
}
