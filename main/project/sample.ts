/** What is the sample project made of, and how does it become a project of the user's own? */
import { cp, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { toIsoglossError } from '../../core/base/errors.ts';

export const SAMPLE_NAME = 'Lake Nuru archive (sample)';
/** The folder of documents to search, inside the sample project. */
export const SAMPLE_DOCUMENTS = 'documents';

const QUESTIONS = 'questions.jsonl';
const EXAMPLES_SHOWN = 8;
const questionSchema = z.object({ text: z.string(), language: z.string(), document: z.string() });

export type SampleContents = {
  readonly languages: readonly string[];
  /** Copied corpora, absolute, with what is known of them. */
  readonly corpora: readonly { readonly path: string; readonly role: 'pairs' | 'texts'; readonly languages: { readonly kind: 'two'; readonly source: string; readonly target: string } | { readonly kind: 'one'; readonly language: string } }[];
  readonly documentsFolder: string;
  /** Questions with known answers, relative to the project folder. */
  readonly questions: string;
  readonly exampleQueries: readonly { readonly text: string; readonly language: string }[];
};

export async function hasSample(sampleFolder: string): Promise<boolean> {
  return stat(join(sampleFolder, QUESTIONS)).then(() => true, () => false);
}

/** Copies corpora and documents into a project folder: the shipped files are never written, and the copy is the user's to change. */
export async function copySample(sampleFolder: string, projectFolder: string): Promise<SampleContents> {
  try {
    const names = (await readdir(sampleFolder)).sort();
    const incoming = join(projectFolder, 'incoming');
    await mkdir(incoming, { recursive: true });
    const corpora = names.flatMap((name) => describeFile(name, incoming));
    for (const { path } of corpora) await cp(join(sampleFolder, path.slice(incoming.length + 1)), path);
    const documentsFolder = join(projectFolder, SAMPLE_DOCUMENTS);
    await cp(join(sampleFolder, 'documents'), documentsFolder, { recursive: true });
    await cp(join(sampleFolder, QUESTIONS), join(incoming, QUESTIONS));
    const languages = [...new Set(corpora.flatMap(({ languages }) => (languages.kind === 'two' ? [languages.target] : [languages.language])))];
    return { languages, corpora, documentsFolder, questions: `incoming/${QUESTIONS}`, exampleQueries: await readExamples(sampleFolder) };
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}

function describeFile(name: string, incoming: string): SampleContents['corpora'] {
  const path = join(incoming, name);
  const pair = /^parallel\.([a-z]+)-([a-z]+)\.tsv$/.exec(name);
  if (pair?.[1] !== undefined && pair[2] !== undefined) return [{ path, role: 'pairs', languages: { kind: 'two', source: pair[1], target: pair[2] } }];
  const text = /^monolingual\.([a-z]+)\.txt$/.exec(name);
  return text?.[1] === undefined ? [] : [{ path, role: 'texts', languages: { kind: 'one', language: text[1] } }];
}

/** Some questions of each language, in turn. */
async function readExamples(sampleFolder: string): Promise<SampleContents['exampleQueries']> {
  const lines = (await readFile(join(sampleFolder, QUESTIONS), 'utf8')).split('\n').filter(Boolean);
  const questions = lines.map((line) => questionSchema.parse(JSON.parse(line)));
  const crossing = questions.filter(({ document, language }) => !document.includes(`/${language}/`));
  const within = questions.filter((question) => !crossing.includes(question));
  const languages = [...new Set(questions.map(({ language }) => language))];
  const firstOf = (from: readonly z.infer<typeof questionSchema>[]) => languages.flatMap((language) => from.filter((question) => question.language === language).slice(0, 1));
  return [...firstOf(crossing), ...firstOf(within)].slice(0, EXAMPLES_SHOWN).map(({ text, language }) => ({ text, language }));
}
