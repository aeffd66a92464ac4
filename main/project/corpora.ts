/** How does a corpus come into a project, and out of it? */
import { randomUUID } from 'node:crypto';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { deserialiseError, InputError } from '../../core/base/errors.ts';
import type { NamedTerms } from '../../core/corpus/terms.ts';
import type { CorpusFormat, CorpusLanguages, CorpusMapping, CorpusRole, CorpusTerms, Inspection } from '../contract/index.ts';
import type { InspectTask } from '../workers/messages.ts';
import type { Service } from '../workers/service.ts';
import type { CorpusEntry, ProjectFile } from './project-file.ts';

const SHOWN_ROWS = 3;

export type CorpusChoice = { readonly role: CorpusRole | null; readonly format: CorpusFormat | null; readonly languages: CorpusLanguages | null; readonly encoding?: string | null | undefined; readonly mapping?: CorpusMapping | null | undefined };

/** What a corpus is compared with. */
export type ComparedCorpora = NonNullable<InspectTask['others']>;

/** Looks at files without taking them; what is wrong with a file is an answer, not an exception. */
export async function inspectPaths(inspector: Service, options: { readonly paths: readonly string[]; readonly choice: CorpusChoice; readonly projectLanguages: readonly string[]; readonly others?: ComparedCorpora; readonly signal: AbortSignal | undefined }): Promise<Inspection> {
  const { paths, choice, projectLanguages, others = [], signal } = options;
  return (await inspector.ask('inspect', { paths, ...choice, projectLanguages, others }, signal)).inspection;
}

export type NewCorpus = {
  readonly folder: string;
  readonly paths: readonly string[];
  readonly role: CorpusRole;
  /** Null or left out: as found. */
  readonly format?: CorpusFormat | null;
  readonly languages: CorpusLanguages;
  readonly licence: string | null;
  readonly terms?: CorpusTerms | undefined;
  readonly encoding?: string | null | undefined;
  readonly mapping?: CorpusMapping | null | undefined;
  readonly projectLanguages: readonly string[];
  readonly addedAt: number;
};

/** The entry for a corpus that has been looked at once more. @throws what is wrong with its files. */
export async function makeCorpus(inspector: Service, corpus: NewCorpus): Promise<CorpusEntry> {
  const { folder, paths, role, format = null, languages, licence, terms, encoding, mapping, projectLanguages, addedAt } = corpus;
  const { inspection, fingerprints } = await inspector.ask('inspect', { paths, role, format, languages, projectLanguages, encoding, mapping });
  if (inspection.status === 'unusable') throw deserialiseError(inspection.error);
  if (inspection.role !== role) {
    throw new InputError('corpus.other-role', `${paths.join(', ')}: expected ${NAMES[role]}, found ${NAMES[inspection.role]}. Add it in that box instead.`, { data: { expected: role, found: inspection.role } });
  }
  if (inspection.counts.records === 0) throw new InputError('corpus.no-records', `${paths.join(', ')}: expected ${NAMES[role]}, found no line that can be used. Look at the problems and mend the file.`, { data: { path: paths[0] ?? '' } });
  return {
    id: randomUUID(),
    role,
    format: inspection.format,
    paths: paths.map((path) => storedPath(folder, path)),
    languages,
    counts: inspection.counts,
    rows: inspection.rows.slice(0, SHOWN_ROWS),
    problems: inspection.problems,
    licence: licence ?? terms?.licence ?? null,
    ...(terms === undefined ? {} : { terms }),
    ...(encoding === undefined || encoding === null ? {} : { encoding }),
    ...(mapping === undefined || mapping === null ? {} : { mapping }),
    addedAt,
    fingerprints: fingerprints.map((fingerprint) => ({ ...fingerprint, path: storedPath(folder, fingerprint.path) })),
  };
}

/** The file with one corpus more; the same files again replace their earlier entry. */
export function withCorpus(file: ProjectFile, corpus: CorpusEntry): ProjectFile {
  const same = (other: CorpusEntry): boolean => other.paths.length === corpus.paths.length && other.paths.every((path, index) => path === corpus.paths[index]);
  return { ...file, corpora: [...file.corpora.filter((other) => !same(other)), corpus] };
}

/** The file with a corpus said anew, at its old place. */
export function withChangedCorpus(file: ProjectFile, corpus: CorpusEntry): ProjectFile {
  return { ...file, corpora: file.corpora.map((other) => (other.id === corpus.id ? corpus : other)) };
}

/** What is known of the rights in a corpus, under its name. */
export function termsOfCorpus({ paths, terms, licence }: Pick<CorpusEntry, 'paths' | 'terms' | 'licence'>): NamedTerms {
  return { name: paths.map((path) => basename(path)).join(' + '), ...(terms ?? { source: null, licence, consent: null, access: null }) };
}

export function withoutCorpus(file: ProjectFile, corpusId: string): ProjectFile {
  return { ...file, corpora: file.corpora.filter(({ id }) => id !== corpusId) };
}

const NAMES: { readonly [Role in CorpusRole]: string } = { questions: 'questions with passages', pairs: 'pairs of sentences', texts: 'text in one language' };

/** The corpora of a project, and its questions with known answers, as what a new corpus is compared with; not the new one itself. */
export function comparedCorpora({ folder, file, paths }: { readonly folder: string; readonly file: ProjectFile; readonly paths: readonly string[] }): ComparedCorpora {
  const absolute = (stored: readonly string[]): readonly string[] => stored.map((path) => resolve(folder, path));
  const own = absolute(paths).join('\n');
  const corpora = file.corpora
    .map(({ format, paths: stored, encoding = null, mapping = null }) => ({ name: stored.map((path) => basename(path)).join(' + '), purpose: 'training' as const, format, paths: absolute(stored), encoding, mapping }))
    .filter((other) => other.paths.join('\n') !== own);
  const questions = file.questions === null ? [] : [{ name: basename(file.questions), purpose: 'evaluation' as const, format: null, paths: absolute([file.questions]), encoding: null, mapping: null }];
  return [...corpora, ...questions];
}

/** Relative with "/" when inside the project folder, so that the project can move; else absolute. */
function storedPath(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside.split(sep).join('/');
}
