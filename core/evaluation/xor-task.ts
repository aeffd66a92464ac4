/** Can the question be answered from what was found in English? XOR-Retrieve: the answer within the first 2,000 and 5,000 tokens. */
import { InputError } from '../base/errors.ts';
import type { ReportProgress } from '../base/progress.ts';
import { answersWithin, macroMean, spanAnswers, tokenLimits, tokenRecallNames, type TokenRecallName } from '../metrics/token-recall.ts';
import type { SearchMethod } from '../retrieval/method-weights.ts';
import { canonicaliseTag } from '../text/language.ts';
import { pennTokens } from '../text/penn-tokens.ts';
import { evaluateRetrieval, type TaskCollection, type TaskDocument } from './retrieval-task.ts';

export type XorTask = {
  readonly questions: readonly { readonly id: string; readonly language: string; readonly answers: readonly string[] }[];
  /** The texts found for a question, best first; null: it was not asked, and does not count. */
  readonly found: (id: string) => readonly string[] | null;
};

export type XorResult = Readonly<Record<TokenRecallName, number>> & {
  /** Questions that count: asked, and with an answer other than yes and no. */
  readonly questions: number;
  readonly languages: Readonly<Record<string, Readonly<Record<TokenRecallName, number>> & { readonly questions: number }>>;
  /** 1 where the answer was found, by metric, in the order of the questions that count. */
  readonly found: Readonly<Record<TokenRecallName, readonly number[]>>;
};

/**
 * Recall by language and over languages, each counting the same, in [0, 1]; the official script prints per cent.
 * @throws InputError 'evaluation.no-questions' when none counts.
 * @see Asai et al. 2021, section 4.2; Wu et al. 2022, Table 4.
 */
export function evaluateXor({ questions, found }: XorTask): XorResult {
  const limits = tokenRecallNames.map((name) => tokenLimits[name]);
  const rows = questions.flatMap(({ id, language, answers }) => {
    const passages = found(id);
    const spans = spanAnswers(answers);
    return passages === null || spans.length === 0 ? [] : [{ language, hits: answersWithin({ passages: tokensOf(passages), answers: spans, limits }).map(Number) }];
  });
  if (rows.length === 0) throw new InputError('evaluation.no-questions', 'Expected questions with an answer other than "yes" and "no" for which something was found, found none. Check that questions and predictions belong together.');
  const of = (name: TokenRecallName, chosen: typeof rows): readonly number[] => chosen.map(({ hits }) => hits[tokenRecallNames.indexOf(name)] ?? 0);
  const byName = <T>(make: (name: TokenRecallName) => T): Record<TokenRecallName, T> => ({ 'R@2kt': make('R@2kt'), 'R@5kt': make('R@5kt') });
  const languages = [...new Set(rows.map(({ language }) => language))].map((language) => [language, rows.filter((row) => row.language === language)] as const);
  return {
    ...byName((name) => macroMean(languages.map(([, chosen]) => of(name, chosen)))),
    questions: rows.length,
    languages: Object.fromEntries(languages.map(([language, chosen]) => [language, { ...byName((name) => macroMean([of(name, chosen)])), questions: chosen.length }])),
    found: byName((name) => of(name, rows)),
  };
}

/** Cut when they are read. */
function* tokensOf(passages: readonly string[]): Generator<readonly string[]> {
  for (const passage of passages) yield pennTokens(passage);
}

export type XorSearch = {
  readonly questions: readonly { readonly id: string; readonly question: string; readonly language: string; readonly answers: readonly string[] }[];
  readonly documents: readonly TaskDocument[];
  readonly collection: TaskCollection;
  readonly method: SearchMethod;
  /** Canonical tag of the documents: English in XOR-Retrieve. */
  readonly documentLanguage: string;
  readonly signal?: AbortSignal;
  readonly report?: ReportProgress;
};

/** Asks every question that counts, each in its language, and gives the texts (not the titles) of what was found, by question. @throws as `evaluateRetrieval`. */
export async function searchXor({ questions, documents, collection, method, documentLanguage, signal, report }: XorSearch): Promise<ReadonlyMap<string, readonly string[]>> {
  const textOf = new Map(documents.map(({ id, text }) => [id, text]));
  const asked = questions.filter(({ answers }) => spanAnswers(answers).length > 0);
  const found = new Map<string, readonly string[]>();
  for (const language of new Set(asked.map((one) => one.language))) {
    const own = asked.filter((one) => one.language === language).map(({ id, question }) => ({ id, text: question }));
    const qrels = new Map(own.map(({ id }) => [id, new Map<string, number>()]));
    const { run } = await evaluateRetrieval({ collection, queries: own, qrels, method, queryLanguage: canonicaliseTag(language), documentLanguage, ...(signal === undefined ? {} : { signal }), ...(report === undefined ? {} : { report }) });
    for (const { id } of own) found.set(id, (run.get(id) ?? []).map(({ documentId }) => textOf.get(documentId) ?? ''));
  }
  return found;
}
