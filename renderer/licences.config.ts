/** Whose work is in the window and in the program? Gathered at the build from the packages that are installed, never by hand. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { LICENCES_FILE, type LicensedPackage, type Licences } from './composables/fetch-licences.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LICENCE_FILES = /^(licen[cs]e|copying|ofl|notice)([.-].*)?$/i;
const FONTS = /^@fontsource\//;
/** Old packages of Noto name only the licence of their wrapping (MIT) and bring no text; the faces are the Noto project's, as those of NOTO_SANS. */
const NOTO = /^@fontsource\/noto-/;
const NOTO_SANS = '@fontsource/noto-sans';
const OPEN_FONT_LICENCE = 'OFL-1.1';
/** Brings the window itself; not in the lock's tree of what the program needs. */
const BESIDE = ['electron'];

/** Cards of the data that ships, and where the line with their terms is. */
const DATA = [
  { name: 'starter', file: 'core/training/starter/README.md', terms: /^- Data: (.*(?:\n {2}.*)*)/m },
  { name: 'sample', file: 'core/sample/README.md', terms: /^Licence: ([^.]*\.\d[^.(]*)/m },
] as const;

/** Writes licences.json beside the window: what the lock says the program needs, and every package that a module of the window is from. */
export function licences(fonts: readonly string[]): Plugin {
  return {
    name: 'isogloss-licences',
    apply: 'build',
    generateBundle() {
      const bundled = [...this.getModuleIds()].flatMap((id) => packageOf(id) ?? []);
      const source = JSON.stringify(gatherLicences([...bundled, ...fonts]));
      this.emitFile({ type: 'asset', fileName: LICENCES_FILE, source });
    },
  };
}

/** @param bundled names of packages beside those that the program needs. @throws Error for a package that says no licence at all. */
export function gatherLicences(bundled: readonly string[]): Licences {
  const texts: string[] = [];
  const seen = new Map<string, LicensedPackage>();
  for (const folder of [...neededFolders(), ...[...BESIDE, ...bundled].map((name) => `node_modules/${name}`)]) {
    const one = describe(folder, texts);
    if (one !== null) seen.set(`${one.name} ${one.version}`, one);
  }
  const all = [...seen.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return {
    packages: all.filter(({ name }) => !FONTS.test(name)),
    fonts: all.filter(({ name }) => FONTS.test(name)).map((font) => ({ ...(NOTO.test(font.name) && font.licence !== OPEN_FONT_LICENCE ? asNoto(font, all) : font), name: fontName(font.name) })),
    data: DATA.map(({ name, file, terms }) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const found = terms.exec(text)?.[1]?.replace(/\s+/g, ' ').trim();
      if (found === undefined) throw new Error(`${file} does not say on what terms the data may be used.`);
      return { name, licence: found, text };
    }),
    texts,
  };
}

/** The folders of the lock that the program needs when it runs and that are installed (packages of other platforms are not). */
function neededFolders(): readonly string[] {
  const lock: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  if (!isRecord(lock) || !isRecord(lock['packages'])) throw new Error('package-lock.json has no packages.');
  return Object.entries(lock['packages']).flatMap(([folder, entry]) => (folder !== '' && isRecord(entry) && entry['dev'] !== true && existsSync(join(ROOT, folder, 'package.json')) ? [folder] : []));
}

function describe(folder: string, texts: string[]): LicensedPackage | null {
  const card: unknown = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  if (!isRecord(card)) return null;
  const name = String(card['name']);
  const file = readdirSync(join(ROOT, folder)).filter((entry) => LICENCE_FILES.test(entry)).sort((a, b) => a.length - b.length)[0];
  const text = file === undefined ? null : readFileSync(join(ROOT, folder, file), 'utf8').trim();
  const licence = licenceOf(card) ?? (text === null ? null : (/\b(MIT|ISC|BSD|Apache)\b/.exec(text)?.[1] ?? null));
  if (licence === null) throw new Error(`${name} says no licence: neither in its package.json nor in a file of its own.`);
  return { name, version: String(card['version']), licence, text: placeOf(text ?? wordsInstead(card, name, licence), texts) };
}

/** Of a package without a licence file: what its card says of its authors, and the name of the licence. */
function wordsInstead(card: Readonly<Record<string, unknown>>, name: string, licence: string): string {
  const person = (value: unknown): string => (isRecord(value) ? String(value['name'] ?? value['url'] ?? '') : typeof value === 'string' ? value : '');
  const said = [card['author'], card['homepage'], card['repository']].map(person).filter((part) => part !== '');
  return [`${name} is under the licence ${licence}. Its package brings no text of it; it says of its origin:`, ...said].join('\n');
}

function licenceOf(card: Readonly<Record<string, unknown>>): string | null {
  const { license, licenses } = card;
  if (typeof license === 'string') return license;
  if (isRecord(license) && typeof license['type'] === 'string') return license['type'];
  if (Array.isArray(licenses)) return licenses.flatMap((one) => (isRecord(one) && typeof one['type'] === 'string' ? [one['type']] : [])).join(' OR ') || null;
  return null;
}

function placeOf(text: string, texts: string[]): number {
  const known = texts.indexOf(text);
  if (known !== -1) return known;
  texts.push(text);
  return texts.length - 1;
}

function asNoto(font: LicensedPackage, all: readonly LicensedPackage[]): LicensedPackage {
  const text = all.find(({ name }) => name === NOTO_SANS)?.text ?? null;
  return { ...font, licence: OPEN_FONT_LICENCE, text };
}

/** "@fontsource/noto-sans-thai" -> "Noto Sans Thai". */
function fontName(name: string): string {
  return name.replace(FONTS, '').split('-').map((word) => (word === 'sil' ? 'SIL' : word.charAt(0).toUpperCase() + word.slice(1))).join(' ');
}

/** The package that a module lies in; null for modules of ours. */
function packageOf(id: string): string | null {
  const [, inside] = /.*[\\/]node_modules[\\/](.+)$/.exec(id.replace(/\?.*$/, '')) ?? [];
  if (inside === undefined) return null;
  const [first = '', second = ''] = inside.split(/[\\/]/);
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
