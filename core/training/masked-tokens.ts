/** Which tokens are hidden for the model to guess? A function of (seed, place): 15 %, of which most become the mask (Devlin et al. 2019, 3.1). */
import { seededRandom } from '../base/random.ts';
import { createSentenceSampler } from '../sampling/sentence-batches.ts';
import type { PreparedTexts } from './prepare.ts';
import type { MaskedPart } from './trainable-encoder.ts';

/** Of the tokens to guess: so many become the mask, so many another token; the rest stay. */
const MASKED_SHARE = 0.8;
const REPLACED_SHARE = 0.1;

export type MaskingOptions = {
  readonly probability: number;
  readonly mask: number;
  readonly vocabularySize: number;
  /** Ids that are never hidden and never put in: begin, end, padding, mask. */
  readonly special: ReadonlySet<number>;
};

export type MaskedText = { readonly ids: Uint32Array; readonly places: Int32Array; readonly labels: Int32Array };

/** Hides each token with `probability`; a text of which none would be hidden hides one. Texts of special tokens alone hide none. */
export function maskTokens(ids: Uint32Array, { probability, mask, vocabularySize, special }: MaskingOptions, random: { readonly next: () => number; readonly integer: (below: number) => number }): MaskedText {
  const candidates = [...ids.keys()].filter((place) => !special.has(ids[place] ?? 0));
  let chosen = candidates.filter(() => random.next() < probability);
  if (chosen.length === 0 && candidates.length > 0) chosen = [candidates[random.integer(candidates.length)] ?? 0];
  const masked = ids.slice();
  for (const place of chosen) {
    const chance = random.next();
    if (chance < MASKED_SHARE) masked[place] = mask;
    else if (chance < MASKED_SHARE + REPLACED_SHARE) masked[place] = otherToken(vocabularySize, special, random);
  }
  return { ids: masked, places: Int32Array.from(chosen), labels: Int32Array.from(chosen, (place) => ids[place] ?? 0) };
}

function otherToken(vocabularySize: number, special: ReadonlySet<number>, random: { readonly integer: (below: number) => number }): number {
  let id = random.integer(vocabularySize);
  while (special.has(id)) id = random.integer(vocabularySize);
  return id;
}

/**
 * The part of a step that guesses hidden tokens, on texts of all corpora: each language the same number, each text once per epoch.
 * @returns null when there is no text.
 */
export function createMaskedParts(options: { readonly texts: PreparedTexts; readonly batchSize: number; readonly seed: number; readonly weight: number; readonly masking: MaskingOptions }): ((step: number) => MaskedPart) | null {
  const { batchSize, seed, weight, masking } = options;
  const languages = [...textsByLanguage(options.texts).values()].filter((list) => list.length > 0);
  if (languages.length === 0) return null;
  let numbered = 0;
  const keys = languages.map((list) => Int32Array.from(list, () => numbered++));
  const sampler = createSentenceSampler({ languages: keys, batchSize: Math.max(batchSize, languages.length), seed });
  return (step) => {
    const { sources, indices } = sampler.batchAt(step);
    const random = seededRandom(seed, 'masked tokens', step);
    const masked = [...indices].map((index, i) => maskTokens(languages[sources[i] ?? 0]?.[index] ?? new Uint32Array(0), masking, random));
    return { kind: 'masked', name: 'maskedLanguage', texts: masked.map(({ ids }) => ids), places: masked.map(({ places }) => places), labels: masked.map(({ labels }) => labels), weight };
  };
}

function textsByLanguage({ pivot, retrieval, parallel, monolingual }: PreparedTexts): ReadonlyMap<string, readonly Uint32Array[]> {
  const texts = new Map<string, Uint32Array[]>();
  const add = (language: string, list: readonly Uint32Array[]): void => {
    const known = texts.get(language) ?? [];
    for (const ids of list) known.push(ids);
    texts.set(language, known);
  };
  add(pivot, retrieval.passages);
  for (const { corpus, sources, targets } of parallel) {
    add(corpus.source, sources);
    add(corpus.target, targets);
  }
  for (const { language, sentences } of monolingual) add(language, sentences);
  return texts;
}
