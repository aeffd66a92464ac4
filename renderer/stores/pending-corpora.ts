/** Which files has the person handed over that are not yet part of the project? Kept while looking elsewhere. */
import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { CorpusLanguages, CorpusMapping, CorpusRole, CorpusTerms, ErrorRecord, Inspection } from '../../main/contract/index.ts';

export type ReadableInspection = Extract<Inspection, { status: 'readable' }>;

/** What a person settles about a file; null: as the program proposes. */
export type CorpusSettings = {
  readonly role: CorpusRole;
  readonly languages: CorpusLanguages;
  readonly mapping: CorpusMapping | null;
  readonly encoding: string | null;
  readonly terms: CorpusTerms;
};

export const NO_TERMS: CorpusTerms = { source: null, licence: null, consent: null, access: null };

/** `earlier`: what was settled before, the last one at the end; `isLooking`: it is looked into once more while the old rows stand there. */
export type ReadableState = { readonly status: 'readable'; readonly inspection: ReadableInspection; readonly settings: CorpusSettings; readonly earlier: readonly CorpusSettings[]; readonly isLooking: boolean; readonly problem: ErrorRecord | null };

export type PendingState =
  | { readonly status: 'uploading'; readonly fractionDone: number }
  | { readonly status: 'inspecting' }
  | ReadableState
  | { readonly status: 'adding'; readonly inspection: ReadableInspection; readonly settings: CorpusSettings }
  | { readonly status: 'unusable'; readonly problem: ErrorRecord };

/** `corpusId`: of the corpus of the project that is looked at once more; null: a file that is not yet part of it. */
export type PendingCorpus = {
  readonly id: string;
  readonly projectId: string;
  readonly corpusId: string | null;
  readonly role: CorpusRole;
  readonly name: string;
  readonly state: PendingState;
};

export const usePendingStore = defineStore('pending-corpora', () => {
  const all = shallowRef<readonly PendingCorpus[]>([]);
  return {
    all,
    put(pending: PendingCorpus): void {
      const known = all.value.some((other) => other.id === pending.id);
      all.value = known ? all.value.map((other) => (other.id === pending.id ? pending : other)) : [...all.value, pending];
    },
    remove(id: string): void {
      all.value = all.value.filter((pending) => pending.id !== id);
    },
    find: (id: string): PendingCorpus | null => all.value.find((pending) => pending.id === id) ?? null,
    isEmpty: computed(() => all.value.length === 0),
  };
});

/** Endings of files that hold both sides of a pair in one file. */
const ONE_FILE_PAIRS = /\.(tsv|csv|txt\.tsv|tmx|jsonl?|xml)(\.gz)?$/i;
const MOSES_FILES = 2;

/**
 * Which paths belong together as one corpus: two files chosen at once for the pairs, neither of a kind that holds both
 * languages, are one Moses corpus (the same lines in two languages); everything else stands alone.
 */
export function groupPaths(role: CorpusRole, paths: readonly string[]): readonly (readonly string[])[] {
  if (role === 'pairs' && paths.length === MOSES_FILES && !paths.some((path) => ONE_FILE_PAIRS.test(path))) return [paths];
  return paths.map((path) => [path]);
}

/** The languages are settled when none is missing. */
export function hasAllLanguages(languages: CorpusLanguages): boolean {
  return languages.kind === 'one' ? languages.language !== null : languages.source !== null && languages.target !== null && languages.source !== languages.target;
}

/** One side in another language. Where the project has two languages only, the other side, not yet said, is in the other one. */
export function withSide(languages: Extract<CorpusLanguages, { kind: 'two' }>, side: 'source' | 'target', tag: string | null, projectTags: readonly string[]): CorpusLanguages {
  const other = side === 'source' ? 'target' : 'source';
  const left = projectTags.filter((one) => one !== tag);
  const [only = null] = projectTags.length === 2 && left.length === 1 ? left : [];
  return { ...languages, [side]: tag, [other]: languages[other] ?? (tag === null ? null : only) };
}

/** Nothing of the terms has been said. */
export function isUnsaid({ source, licence, consent, access }: CorpusTerms): boolean {
  return source === null && licence === null && consent === null && access === null;
}

/** Whether a change decides what is read out of the file, so that it is looked into once more. */
export function changesReading(before: CorpusSettings, after: CorpusSettings, inspection: ReadableInspection): boolean {
  const choosesLanguages = inspection.details?.fields.some(({ kind }) => kind === 'language') === true;
  const read = ({ role, languages, mapping, encoding }: CorpusSettings): string => JSON.stringify([role, mapping, encoding, choosesLanguages ? languages : null]);
  return read(before) !== read(after);
}

/** The last part of a path, whichever way its slashes lean. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).filter((part) => part !== '').at(-1) ?? path;
}
