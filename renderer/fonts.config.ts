/** How do the fonts come into the window? As files of their own with two style sheets: the interface's at once, all other scripts' after the first picture. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { FONT_FACES, INTERFACE_FONTS, SCRIPT_FONTS, type FontFace } from './styles/font-faces.ts';

const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url));

/**
 * Emits `fonts/*.woff2` and the two sheets; the first is linked from index.html. Every face names the characters it has (unicode-range),
 * so a browser fetches a script's file when a letter of it is to be drawn, and never otherwise.
 */
export function fonts(): Plugin {
  return {
    name: 'isogloss-fonts',
    apply: 'build',
    transformIndexHtml: () => [{ tag: 'link', attrs: { rel: 'stylesheet', href: `./${INTERFACE_FONTS}` }, injectTo: 'head' }],
    generateBundle() {
      for (const isInterface of [true, false]) {
        const faces = FONT_FACES.filter((face) => face.isInterface === isInterface);
        const parts = faces.flatMap(partsOf);
        for (const { file, path } of parts) this.emitFile({ type: 'asset', fileName: `fonts/${file}`, source: readFileSync(path) });
        this.emitFile({ type: 'asset', fileName: isInterface ? INTERFACE_FONTS : SCRIPT_FONTS, source: sheetOf(parts, isInterface ? null : FALLBACKS) });
      }
    },
  };
}

/** The usual face of each script; a browser fetches every face of a line that has a letter, so a second one of a script stands in it only where it was chosen. */
const FALLBACKS = FONT_FACES.filter((face, at) => !face.isInterface && !FONT_FACES.slice(0, at).some(({ scripts }) => scripts.some((script) => face.scripts.includes(script))));

type Part = { readonly family: string; readonly weight: number; readonly file: string; readonly path: string; readonly range: string };

/** @throws Error when a package does not have a part that the table names. */
export function partsOf(face: FontFace): readonly Part[] {
  const folder = join(MODULES, face.package);
  const ranges: unknown = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8'));
  const name = face.package.split('/')[1] ?? face.package;
  return face.subsets.flatMap((subset) => {
    const range: unknown = typeof ranges === 'object' && ranges !== null ? Reflect.get(ranges, subset) : undefined;
    if (typeof range !== 'string') throw new Error(`${face.package} has no part "${subset}".`);
    return face.weights.map((weight) => {
      const file = `${name}-${subset}-${String(weight)}-normal.woff2`;
      return { family: face.family, weight, file, path: join(folder, 'files', file), range: face.isInterface || face.scripts.includes('Arab') ? range : ownRange(range) };
    });
  });
}

/** Signs that many scripts share (tones, Arabic commas and digits) do not bring the face of another script with them. */
const SHARED: readonly (readonly [number, number])[] = [[0x0300, 0x036f], [0x0600, 0x06ff]];

function ownRange(range: string): string {
  const isShared = (part: string): boolean => {
    const [from = 0, to = from] = part.trim().replace(/^U\+/i, '').split('-').map((code) => Number.parseInt(code, 16));
    return SHARED.some(([first, last]) => from >= first && to <= last);
  };
  return range.split(',').filter((part) => !isShared(part)).join(',');
}

function sheetOf(parts: readonly Part[], families: readonly FontFace[] | null): string {
  const rules = parts.map(({ family, weight, file, range }) => `@font-face{font-family:'${family}';font-style:normal;font-display:swap;font-weight:${String(weight)};src:url(./${file}) format('woff2');unicode-range:${range}}`);
  return `${rules.join('\n')}\n${families === null ? '' : `:root{--font-scripts:${families.map(({ family }) => `'${family}'`).join(',')}}\n`}`;
}
