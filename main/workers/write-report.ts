/** What did this training change? Measures a finished model on what it has not seen, and puts report.json beside it. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { documentText } from '../../core/documents/parsed-document.ts';
import { readDocument } from '../../core/documents/read-document.ts';
import type { Encoder } from '../../core/encoding/encoder.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { openUntrainedEncoder } from '../../core/encoding/untrained-encoder.ts';
import { reportPairs, reportRowWithExamples, type EvaluationReport, type QuestionRanks, type ReportExample, type ReportPairs, type ReportQuestion, type ReportRow } from '../../core/evaluation/report.ts';
import { HELD_OUT_FILE } from '../../core/training/run-training.ts';

export const REPORT_FILE = 'report.json';
/** Every question with its ranks, so that two trainings can be compared question by question. */
export const QUESTIONS_FILE = 'report-questions.json';

/** Fewer questions say nothing. */
const LEAST_QUERIES = 8;
const EXAMPLES_PER_ROW = 5;
const EXAMPLES_SHOWN = 5; // best, and as many worst

const heldOutSchema = z.object({
  pairs: z.array(z.object({ source: z.string(), target: z.string(), pairs: z.array(z.object({ source: z.string(), target: z.string() })) })),
  questions: z.object({ queries: z.array(z.string()), documents: z.array(z.string()), documentOf: z.array(z.number()) }).nullable(),
});

const questionSchema = z.object({ text: z.string(), language: z.string(), document: z.string() });

/** Questions with known answers: JSONL of {text, language, document}, documents relative to `folder`. */
export type QuestionSet = { readonly file: string; readonly folder: string };

type QuestionSetRanks = { readonly question: ReportQuestion; readonly language: string; readonly queryLanguage: string; readonly documents: number; readonly queries: readonly QuestionRanks[] };

type Set = {
  readonly question: ReportQuestion;
  readonly language: string;
  readonly queryLanguage: string;
  readonly documentLanguage: string;
  readonly queries: readonly string[];
  readonly documents: readonly string[];
  /** `documents[documentOf[i]]` answers `queries[i]`. */
  readonly documentOf: readonly number[];
};

export type WriteReportOptions = {
  readonly modelFolder: string;
  readonly questions: QuestionSet | null;
  readonly signal: AbortSignal;
  readonly onRow: (done: number, total: number) => void;
};

/** Measures and writes. @throws what opening the model, reading the questions and evaluating throw. */
export async function writeReport({ modelFolder, questions, signal, onRow }: WriteReportOptions): Promise<void> {
  const heldOut = heldOutSchema.parse(await readJson(join(modelFolder, HELD_OUT_FILE)));
  const trained = await openEncoder(modelFolder);
  const untrained = await openUntrainedEncoder(modelFolder);
  const sets = [...(questions === null ? [] : await questionSets(questions, signal)), ...heldBackQuestions(heldOut, trained.pivot), ...heldOut.pairs.flatMap((pairs) => pairSets(pairs, trained.pivot))].filter(({ queries }) => queries.length >= LEAST_QUERIES);
  const rows: ReportRow[] = [];
  const examples: ReportExample[] = [];
  const asked: QuestionSetRanks[] = [];
  for (const [done, set] of sets.entries()) {
    onRow(done, sets.length);
    const measured = await measure(set, { trained, untrained, signal });
    rows.push(measured.row);
    examples.push(...measured.examples);
    const { question, language, queryLanguage, documents } = set;
    asked.push({ question, language, queryLanguage, documents: documents.length, queries: measured.ranks });
  }
  const pairs: ReportPairs[] = [];
  for (const { source, target, pairs: heldBack } of heldOut.pairs) {
    if (heldBack.length < LEAST_QUERIES) continue;
    const isForeignFirst = source !== trained.pivot;
    const [own, other] = [heldBack.map((pair) => (isForeignFirst ? pair.source : pair.target)), heldBack.map((pair) => (isForeignFirst ? pair.target : pair.source))];
    pairs.push(await reportPairs({ language: isForeignFirst ? source : target, sources: own, targets: other, untrained, trained }));
  }
  onRow(sets.length, sets.length);
  const best = examples.filter(({ kind }) => kind === 'best').sort((a, b) => gain(b) - gain(a));
  const worst = examples.filter(({ kind, rankNow }) => kind === 'worst' && rankNow !== 1).sort((a, b) => gain(a) - gain(b));
  const report: EvaluationReport = { rows, pairs, examples: [...best.slice(0, EXAMPLES_SHOWN), ...worst.slice(0, EXAMPLES_SHOWN)] };
  await writeJsonAtomic(join(modelFolder, QUESTIONS_FILE), { sets: asked });
  await writeJsonAtomic(join(modelFolder, REPORT_FILE), report);
}

function measure(set: Set, { trained, untrained, signal }: { readonly trained: Encoder; readonly untrained: Encoder; readonly signal: AbortSignal }): ReturnType<typeof reportRowWithExamples> {
  const { question, language, queryLanguage, documentLanguage } = set;
  return reportRowWithExamples(
    {
      question,
      language,
      queryLanguage,
      documentLanguage,
      documents: set.documents.map((text, i) => ({ id: `d${String(i)}`, title: '', text })),
      queries: set.queries.map((text, i) => ({ id: `q${String(i)}`, text })),
      qrels: new Map(set.documentOf.map((document, i) => [`q${String(i)}`, new Map([[`d${String(document)}`, 1]])])),
      untrained,
      trained,
      signal,
    },
    EXAMPLES_PER_ROW,
  );
}

/** Held-back pairs as a search in both directions: a sentence asks, its translation answers among all the others. */
function pairSets({ source, target, pairs }: { readonly source: string; readonly target: string; readonly pairs: readonly { readonly source: string; readonly target: string }[] }, pivot: string): readonly Set[] {
  if ((source === pivot) === (target === pivot)) return [];
  const language = source === pivot ? target : source;
  const foreign = pairs.map((pair) => (source === pivot ? pair.target : pair.source));
  const english = pairs.map((pair) => (source === pivot ? pair.source : pair.target));
  const documentOf = pairs.map((_, i) => i);
  return [
    { question: 'to-english', language, queryLanguage: language, documentLanguage: pivot, queries: foreign, documents: english, documentOf },
    { question: 'from-english', language, queryLanguage: pivot, documentLanguage: language, queries: english, documents: foreign, documentOf },
  ];
}

function heldBackQuestions({ questions }: z.infer<typeof heldOutSchema>, pivot: string): readonly Set[] {
  return questions === null ? [] : [{ question: 'within', language: pivot, queryLanguage: pivot, documentLanguage: pivot, ...questions }];
}

/** The project's own questions, those that are answered in their own language; searched among the documents of all languages. */
async function questionSets({ file, folder }: QuestionSet, signal: AbortSignal): Promise<readonly Set[]> {
  const all = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '').map((line) => questionSchema.parse(JSON.parse(line)));
  const paths = [...new Set([...all.map(({ document }) => document), ...(await siblings(folder, all.map(({ document }) => document)))])].sort();
  const documents: string[] = [];
  for (const path of paths) documents.push(documentText(await readDocument(join(folder, path), signal)));
  const within = all.filter(({ language, document }) => document.split('/').includes(language));
  return [...new Set(within.map(({ language }) => language))].map((language) => {
    const own = within.filter((question) => question.language === language);
    return { question: 'within', language, queryLanguage: language, documentLanguage: language, queries: own.map(({ text }) => text), documents, documentOf: own.map(({ document }) => paths.indexOf(document)) };
  });
}

/** Documents that no question asks for stand in the same folders, and can be mistaken for the right ones. */
async function siblings(folder: string, documents: readonly string[]): Promise<readonly string[]> {
  const folders = [...new Set(documents.map((path) => path.split('/').slice(0, -1).join('/')))];
  return (await Promise.all(folders.map(async (name) => (await readdir(join(folder, name), { withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => `${name}/${entry.name}`)))).flat();
}

function gain({ rankBefore, rankNow }: ReportExample): number {
  return (rankNow === null ? 0 : 1 / rankNow) - (rankBefore === null ? 0 : 1 / rankBefore);
}
