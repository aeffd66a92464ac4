/** What is this model made of, under which terms, and what was measured? The sheet that travels with it, as data and as a page. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readManifest } from '../../core/encoding/model-folder.ts';
import { corpusTermsSchema, STARTER_TERMS, strictestTerms } from '../../core/corpus/terms.ts';
import type { DataSheet, EvaluationReport, ReportRow, SheetCorpus } from '../contract/index.ts';
import { readModelCard, readReport } from './models.ts';

const STARTER: SheetCorpus = { ...STARTER_TERMS, role: 'questions', languages: ['en'], records: null };

/** How many records a corpus gave, by the names of its files ("a.tsv", "a.en + a.sw"). */
export type KnownRecords = ReadonlyMap<string, number>;

export type DataSheetOptions = {
  readonly modelFolder: string;
  readonly name: string;
  /** What people call a language. */
  readonly languageName: (tag: string) => string;
  readonly records: KnownRecords;
  readonly madeAt: number;
  readonly madeBy: string;
  readonly contents: DataSheet['contents'];
};

const said = { terms: corpusTermsSchema.optional(), language: z.string().optional(), source: z.string().optional(), target: z.string().optional() };
const source = z.looseObject({ path: z.string().optional(), sourcePath: z.string().optional(), targetPath: z.string().optional(), pairs: z.string().optional(), folder: z.string().optional(), ...said });
const recipeSchema = z.looseObject({ retrieval: z.array(source).default([]), parallel: z.array(source).default([]), monolingual: z.array(source).default([]) });
const trainingSchema = z.looseObject({ recipe: z.json().default(null), seed: z.number().nullable().default(null), device: z.string().nullable().default(null), starter: z.string().nullable().default(null) });

/** The sheet of a model folder. @throws InputError 'model.missing', 'model.not-a-model', 'model.newer-version'. */
export async function makeDataSheet({ modelFolder, name, languageName, records, madeAt, madeBy, contents }: DataSheetOptions): Promise<DataSheet> {
  const manifest = await readManifest(modelFolder);
  const card = await readModelCard(modelFolder);
  const report = await readReport(modelFolder);
  const training = trainingSchema.parse(manifest.training);
  const recipe = recipeSchema.safeParse(training.recipe);
  const usesStarter = training.starter !== null;
  const corpora = [...(recipe.success ? corporaOf(recipe.data, records, manifest.pivot) : []), ...(usesStarter ? [STARTER] : [])];
  const { encoder } = manifest;
  const pieces = 'vocabularySize' in encoder ? encoder.vocabularySize : 0;
  const facts = card ?? { modelId: '', trainedAt: Date.parse(manifest.createdAt), languages: [], steps: 0, minutes: 0, parameters: 0, sizeBytes: 0 };
  return {
    format: 'isogloss-data-sheet',
    version: 1,
    name,
    madeAt,
    madeBy,
    pivot: manifest.pivot,
    languages: manifest.languages.map(({ tag, pairs, sentences }) => ({ tag, name: languageName(tag), pairs, sentences })),
    model: { ...facts, kind: encoder.kind, width: encoder.width, pieces, seed: training.seed, device: training.device },
    recipe: withoutPlaces(training.recipe),
    usesStarter,
    corpora,
    terms: strictestTerms(corpora.map(({ name: corpus, source: from, licence, consent, access }) => ({ name: corpus, ...corpusTermsSchema.parse({ source: from, licence, consent, access }) }))),
    measured: report === null ? null : { rows: report.rows, pairs: report.pairs },
    contents,
  };
}

function corporaOf({ retrieval, parallel, monolingual }: z.infer<typeof recipeSchema>, records: KnownRecords, pivot: string): SheetCorpus[] {
  const corpus = (role: SheetCorpus['role']) => (entry: z.infer<typeof source>): SheetCorpus => {
    const files = [entry.path, entry.sourcePath, entry.targetPath, entry.pairs, entry.folder].filter((path) => path !== undefined);
    const name = files.map(lastName).join(' + ');
    const languages = role === 'pairs' ? [entry.source, entry.target] : [entry.language ?? (role === 'questions' ? pivot : undefined)];
    const terms = entry.terms ?? { source: null, licence: null, consent: null, access: null };
    return { name, role, languages: languages.filter((tag) => tag !== undefined), records: records.get(name) ?? null, ...terms };
  };
  return [...retrieval.map(corpus('questions')), ...parallel.map(corpus('pairs')), ...monolingual.map(corpus('texts'))];
}

type Json = z.infer<ReturnType<typeof z.json>>;

/** The same without the folders of this machine: of every absolute path its last name stays. */
export function withoutPlaces(value: Json): Json {
  if (typeof value === 'string') return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(value) ? lastName(value) : value;
  if (Array.isArray(value)) return value.map(withoutPlaces);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutPlaces(inner)]));
}

function lastName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

/** Real sentences of the texts in a model folder, that the maker may want to keep back. */
export async function heldBackTexts(modelFolder: string, report: EvaluationReport | null): Promise<{ readonly files: readonly string[]; readonly count: number }> {
  const present = await Promise.all(TEXT_FILES.map((name) => stat(join(modelFolder, name)).then(() => [name], () => [])));
  const pairs = report?.pairs.reduce((sum, { pairs: count }) => sum + count, 0) ?? 0;
  return { files: present.flat(), count: pairs * 2 + (report?.examples.length ?? 0) };
}

/** Files of a model that hold sentences of the texts: held back for measuring, or asked. */
export const TEXT_FILES = ['held-out.json', 'report-questions.json'] as const;

const HUNDRED = 100;
const BYTES_PER_MB = 2 ** 20;
const QUESTIONS: Readonly<Record<ReportRow['question'], string>> = { within: 'question and passage in this language', 'to-english': 'question in this language, passage in the bridge language', 'from-english': 'question in the bridge language, passage in this language' };

/** The page: sizes, texts, terms, what was measured, what is in the file. */
export function sheetPage(sheet: DataSheet): string {
  const { name, model, languages, corpora, terms, measured, contents, pivot } = sheet;
  const nameOf = (tag: string): string => languages.find((language) => language.tag === tag)?.name ?? tag;
  const inHundred = (share: number): string => (HUNDRED * share).toFixed(0);
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
  return [
    `# ${name}`, '',
    `A retriever made with ${sheet.madeBy}; this sheet is of ${day(sheet.madeAt)}, the model of ${day(model.trainedAt)}.`, '',
    '## Terms', '',
    terms === null ? 'Nobody has said under which terms the texts may be used. Ask before you pass this on.' : `Licence **${terms.licence}**, consent **${terms.consent}**, access **${terms.access}**: the strictest of all texts that it learned from. ${terms.sentence}`, '',
    '## What it learned from', '',
    '| texts | kind | languages | amount | source | licence | consent | access |', '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...corpora.map((corpus) => `| ${[corpus.name, corpus.role, corpus.languages.map(nameOf).join(', '), corpus.records === null ? 'not recorded' : corpus.records.toLocaleString('en'), corpus.source, corpus.licence, corpus.consent, corpus.access].map((cell) => cellOf(cell ?? 'not said')).join(' | ')} |`), '',
    `Languages: ${languages.map((language) => `${language.name} (${language.tag}; ${language.pairs.toLocaleString('en')} pairs, ${language.sentences.toLocaleString('en')} sentences)`).join(', ')}. The bridge is ${nameOf(pivot)}.`, '',
    '## The model', '',
    `${model.kind} encoder, vectors of ${String(model.width)} numbers, ${model.pieces.toLocaleString('en')} pieces, ${model.parameters.toLocaleString('en')} parameters, ${(model.sizeBytes / BYTES_PER_MB).toFixed(0)} MB. ${model.steps.toLocaleString('en')} steps in ${model.minutes.toFixed(1)} minutes${model.seed === null ? '' : `, seed ${String(model.seed)}`}${model.device === null ? '' : `, on ${model.device}`}. The whole recipe stands in data-sheet.json.`, '',
    '## What was measured', '',
    ...(measured === null || measured.rows.length + measured.pairs.length === 0
      ? ['Nothing was measured.']
      : [
          'How often the right one is found first, of 100, on texts that training never saw. Word search is BM25.', '',
          '| language | what is searched | asked | before training | word search | this model | both together |', '| --- | --- | --- | --- | --- | --- | --- |',
          ...measured.rows.map(({ language, question, queries, methods }) => `| ${cellOf(nameOf(language))} | ${QUESTIONS[question]} | ${String(queries)} | ${inHundred(methods.untrained['R@1'])} | ${inHundred(methods.bm25['R@1'])} | ${inHundred(methods.dense['R@1'])} | ${inHundred(methods.hybrid['R@1'])} |`),
          ...measured.pairs.map(({ language, pairs, untrained, trained }) => `| ${cellOf(nameOf(language))} | translations of sentences, both directions | ${String(pairs)} | ${inHundred(untrained)} | – | ${inHundred(trained)} | – |`),
        ]), '',
    '## What is in this file', '',
    `- the model (model/), with the report on it`,
    contents.texts ? '- held-back sentences and examples of the texts, by which it was measured' : '- no sentences of the texts: they were left out',
    contents.index === null ? '- no documents' : `- the search index of ${contents.index.documents.toLocaleString('en')} documents (${contents.index.chunks.toLocaleString('en')} passages), with their text`, '',
    'Open it in Isogloss: it becomes a project of its own. Every file in it has its SHA-256 in isogloss.json.', '',
  ].join('\n');
}

/** Text in a table cell. */
function cellOf(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
