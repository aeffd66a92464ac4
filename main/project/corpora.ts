/** How does a corpus come into a project, and out of it? */
import { randomUUID } from 'node:crypto';
import { relative, isAbsolute, sep } from 'node:path';
import { deserialiseError, InputError } from '../../core/base/errors.ts';
import type { CorpusFormat, CorpusLanguages, CorpusRole, Inspection } from '../contract/index.ts';
import type { Service } from '../workers/service.ts';
import type { CorpusEntry, ProjectFile } from './project-file.ts';

const SHOWN_ROWS = 3;

export type CorpusChoice = { readonly role: CorpusRole | null; readonly format: CorpusFormat | null; readonly languages: CorpusLanguages | null };

/** Looks at files without taking them; what is wrong with a file is an answer, not an exception. */
export async function inspectPaths(inspector: Service, options: { readonly paths: readonly string[]; readonly choice: CorpusChoice; readonly projectLanguages: readonly string[]; readonly signal: AbortSignal | undefined }): Promise<Inspection> {
  const { paths, choice, projectLanguages, signal } = options;
  return (await inspector.ask('inspect', { paths, ...choice, projectLanguages }, signal)).inspection;
}

export type NewCorpus = {
  readonly folder: string;
  readonly paths: readonly string[];
  readonly role: CorpusRole;
  readonly languages: CorpusLanguages;
  readonly licence: string | null;
  readonly projectLanguages: readonly string[];
  readonly addedAt: number;
};

/** The entry for a corpus that has been looked at once more. @throws what is wrong with its files. */
export async function makeCorpus(inspector: Service, corpus: NewCorpus): Promise<CorpusEntry> {
  const { folder, paths, role, languages, licence, projectLanguages, addedAt } = corpus;
  const { inspection, fingerprints } = await inspector.ask('inspect', { paths, role, format: null, languages, projectLanguages });
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
    licence,
    addedAt,
    fingerprints: fingerprints.map((fingerprint) => ({ ...fingerprint, path: storedPath(folder, fingerprint.path) })),
  };
}

/** The file with one corpus more; the same files again replace their earlier entry. */
export function withCorpus(file: ProjectFile, corpus: CorpusEntry): ProjectFile {
  const same = (other: CorpusEntry): boolean => other.paths.length === corpus.paths.length && other.paths.every((path, index) => path === corpus.paths[index]);
  return { ...file, corpora: [...file.corpora.filter((other) => !same(other)), corpus] };
}

export function withoutCorpus(file: ProjectFile, corpusId: string): ProjectFile {
  return { ...file, corpora: file.corpora.filter(({ id }) => id !== corpusId) };
}

const NAMES: { readonly [Role in CorpusRole]: string } = { questions: 'questions with passages', pairs: 'pairs of sentences', texts: 'text in one language' };

/** Relative with "/" when inside the project folder, so that the project can move; else absolute. */
function storedPath(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside.split(sep).join('/');
}
