/** What can a search of this index be narrowed to, and how does core take it? */
import type { SearchIndex } from '../../core/retrieval/open-index.ts';
import { FILTER_VALUES, type Facets, type SearchFilter } from '../contract/index.ts';

const FOLDER_DEPTH = 2;

/** The most frequent values first, at most FILTER_VALUES of each. */
export function facetsOf({ files, labels }: Pick<SearchIndex, 'files' | 'labels'>): Facets {
  const languages = new Map<string | null, number>();
  const folders = new Map<string, number>();
  const fileTypes = new Map<string, number>();
  for (const { path, language } of files.values()) {
    add(languages, language);
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length && depth <= FOLDER_DEPTH; depth += 1) add(folders, parts.slice(0, depth).join('/'));
    const name = parts.at(-1) ?? '';
    const dot = name.lastIndexOf('.');
    if (dot > 0) add(fileTypes, name.slice(dot + 1).toLowerCase());
  }
  return { languages: ranked(languages), folders: ranked(folders), fileTypes: ranked(fileTypes), speakers: labels.speakers.slice(0, FILTER_VALUES), tiers: labels.tiers.slice(0, FILTER_VALUES) };
}

function add<Value>(counts: Map<Value, number>, value: Value): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

function ranked<Value>(counts: ReadonlyMap<Value, number>): Value[] {
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, FILTER_VALUES).map(([value]) => value);
}

/** The contract's filter in core's words; nothing when it lets everything pass. */
export function filterOf({ languages, folders, fileTypes, from, to, speakers, tiers }: SearchFilter) {
  const filter = {
    ...(languages === null ? {} : { languages }),
    ...(folders === null ? {} : { folders }),
    ...(fileTypes === null ? {} : { fileTypes }),
    ...(from === null && to === null ? {} : { dates: { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) } }),
    ...(speakers === null ? {} : { speakers }),
    ...(tiers === null ? {} : { tiers }),
  };
  return Object.keys(filter).length === 0 ? {} : { filter };
}
