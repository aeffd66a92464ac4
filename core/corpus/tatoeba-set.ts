/** Which pairs of sentences does a folder of Tatoeba test sets hold, also between two languages that are only paired with English? */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { canonicaliseTag, isLanguageTag } from '../text/language.ts';
import { joinedPairs } from './joined-pairs.ts';
import { readAllPairs } from './parallel.ts';
import type { CorpusProblem } from './records.ts';

export type TatoebaSet = { readonly pairs: readonly { readonly source: string; readonly target: string }[]; readonly problems: readonly CorpusProblem[]; /** The language over which two sets were joined; null: the folder has the pair itself. */ readonly through: string | null };

/** LASER's names: tatoeba.fra-eng.fra and tatoeba.fra-eng.eng, line by line. */
const NAME = /^tatoeba\.([a-z]{2,3})-([a-z]{2,3})\.([a-z]{2,3})$/;
const ENGLISH = 'en';

type Files = { readonly first: string; readonly second: string; readonly paths: ReadonlyMap<string, string> };

/**
 * The pairs of two languages, by any code of theirs ("sw", "swh"). Where no file pairs them, the sets that pair each with English are joined
 * over equal English sentences (Wu et al. 2022, Table 2, take theirs from Tatoeba's raw data, which the test sets are drawn from).
 * @throws InputError 'corpus.missing-file' naming what is there; 'corpus.nothing-usable' when nothing joins; what the readers throw.
 */
export async function readTatoebaPairs({ folder, source, target }: { readonly folder: string; readonly source: string; readonly target: string }, signal: AbortSignal): Promise<TatoebaSet> {
  const [from, to] = [canonicaliseTag(source), canonicaliseTag(target)];
  if (from === to) throw new InputError('corpus.same-language', `Expected two different languages, found "${from}" twice.`);
  const sets = filesIn(await readdir(folder).catch((thrown: unknown) => { throw toIsoglossError(thrown, folder); }), folder);
  const pathsOf = (a: string, b: string): readonly [string, string] | null => {
    const found = sets.find(({ first, second }) => (first === a && second === b) || (first === b && second === a));
    const [left, right] = [found?.paths.get(a), found?.paths.get(b)];
    return left === undefined || right === undefined ? null : [left, right];
  };
  const read = async ([sourcePath, targetPath]: readonly [string, string]) => readAllPairs({ sourcePath, targetPath, source: 'und', target: 'und' }, signal);
  const direct = pathsOf(from, to);
  if (direct !== null) return { ...(await read(direct)), through: null };
  const [left, right] = [pathsOf(from, ENGLISH), pathsOf(to, ENGLISH)];
  if (left === null || right === null) {
    const known = [...new Set(sets.map(({ first, second }) => `${first}-${second}`))].sort().join(', ');
    throw new InputError('corpus.missing-file', `${folder}: expected tatoeba.XXX-eng.XXX and tatoeba.XXX-eng.eng of ${[left === null ? from : '', right === null ? to : ''].filter((tag) => tag !== '').join(' and ')}, found ${known === '' ? 'no such files' : `sets of ${known}`}.`, { data: { path: folder } });
  }
  const [a, b] = [await read(left), await read(right)];
  const pairs = joinedPairs(a.pairs, b.pairs);
  if (pairs.length === 0) throw new InputError('corpus.nothing-usable', `${basename(left[0])} and ${basename(right[0])}: expected English sentences that stand in both, found none: there is no pair of ${from} and ${to}.`, { data: { path: folder } });
  return { pairs, problems: [...a.problems, ...b.problems], through: ENGLISH };
}

function filesIn(names: readonly string[], folder: string): readonly Files[] {
  const sets = new Map<string, { first: string; second: string; paths: Map<string, string> }>();
  for (const name of names) {
    const [, first = '', second = '', side = ''] = NAME.exec(name) ?? [];
    if (![first, second, side].every((code) => code !== '' && isLanguageTag(code))) continue;
    const entry = sets.get(`${first}-${second}`) ?? { first: canonicaliseTag(first), second: canonicaliseTag(second), paths: new Map<string, string>() };
    entry.paths.set(canonicaliseTag(side), join(folder, name));
    sets.set(`${first}-${second}`, entry);
  }
  return [...sets.values()];
}
