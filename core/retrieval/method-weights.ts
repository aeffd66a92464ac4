/** How much does each method count in a hybrid search? One table of weights, chosen by what is known of the languages. */
import type { Encoder } from '../encoding/encoder.ts';

/** The methods that can be fused, each with a list of its own. */
export const componentNames = ['words', 'characters', 'translated', 'dense'] as const;
export type ComponentName = (typeof componentNames)[number];
export type ComponentWeights = Readonly<Record<ComponentName, number>>;

export const searchMethods = ['dense', 'bm25', 'bm25-char', 'translated', 'hybrid'] as const;
export type SearchMethod = (typeof searchMethods)[number];

/** Weights of z-scores. Within a language: default-retriever.md, point 6; across: chosen on held-back pairs (test/experiments/README.md). */
export const hybridWeights = {
  /** Query and documents in one language that the model was trained on. */
  within: { words: 0, characters: 1, translated: 0, dense: 0.25 },
  /** One language without training pairs: its vectors know little. */
  withinUntrained: { words: 0, characters: 1, translated: 0, dense: 0 },
  /** Two languages with a translation table between them, in different scripts. */
  across: { words: 0, characters: 0, translated: 1, dense: 0.5 },
  /** The same, both in Latin script: cognates and names look alike. */
  acrossLatin: { words: 0, characters: 0.5, translated: 1, dense: 0.5 },
  /** Two languages, trained, but without a table between them. */
  acrossWithoutTable: { words: 0, characters: 1, translated: 0, dense: 1 },
  /** Two languages, one of them without training pairs: names and loans are what is left. */
  acrossUntrained: { words: 0, characters: 1, translated: 0, dense: 0 },
} as const satisfies Record<string, ComponentWeights>;

/** What the choice depends on. Languages are BCP-47 tags; null = not known. */
export type SearchSituation = {
  readonly method: SearchMethod;
  readonly queryLanguage: string | null;
  readonly documentLanguage: string | null;
  readonly isQueryLatin: boolean;
  readonly areDocumentsLatin: boolean;
  readonly encoder: Pick<Encoder, 'languages' | 'pivot' | 'translation'> | null;
};

/** Why these weights: the method that was asked for, or the situation of a hybrid search. */
export type WeightChoice = { readonly weights: ComponentWeights; readonly situation: keyof typeof hybridWeights | 'asked' };

/** The weights of a search. A method that needs a model has weight 0 everywhere when there is none. */
export const chooseWeights = (situation: SearchSituation): ComponentWeights => explainWeights(situation).weights;

/** The weights of a search and why they were chosen. */
export function explainWeights(situation: SearchSituation): WeightChoice {
  switch (situation.method) {
    case 'bm25':
      return { weights: single('words'), situation: 'asked' };
    case 'bm25-char':
      return { weights: single('characters'), situation: 'asked' };
    case 'dense':
      return { weights: single('dense'), situation: 'asked' };
    case 'translated':
      return { weights: single('translated'), situation: 'asked' };
    case 'hybrid': {
      const chosen = hybridSituation(situation);
      return { weights: hybridWeights[chosen], situation: chosen };
    }
  }
}

function hybridSituation({ queryLanguage, documentLanguage, isQueryLatin, areDocumentsLatin, encoder }: SearchSituation): keyof typeof hybridWeights {
  if (encoder === null) return 'withinUntrained';
  const isWithin = queryLanguage === null || documentLanguage === null || sameLanguage(queryLanguage, documentLanguage);
  if (isWithin) {
    const language = queryLanguage ?? documentLanguage;
    return language === null || isTrained(language, encoder) ? 'within' : 'withinUntrained';
  }
  if (!isTrained(queryLanguage, encoder) || !isTrained(documentLanguage, encoder)) return 'acrossUntrained';
  if (encoder.translation(queryLanguage, documentLanguage) === null) return 'acrossWithoutTable';
  return isQueryLatin && areDocumentsLatin ? 'acrossLatin' : 'across';
}

/** Whether the model has seen the language: it is the pivot, or has parallel pairs. */
export function isTrained(tag: string, encoder: Pick<Encoder, 'languages' | 'pivot'>): boolean {
  return sameLanguage(tag, encoder.pivot) || encoder.languages.some((language) => sameLanguage(language.tag, tag) && language.pairs > 0);
}

/** Whether two tags name one language: equal primary subtags, or equal private-use tags ("qaa", "x-mylang"). */
export function sameLanguage(a: string, b: string): boolean {
  return primary(a) === primary(b);
}

function primary(tag: string): string {
  const lower = tag.toLowerCase();
  return lower.startsWith('x-') ? lower : (lower.split('-')[0] ?? lower);
}

function single(name: ComponentName): ComponentWeights {
  return { words: 0, characters: 0, translated: 0, dense: 0, [name]: 1 };
}
