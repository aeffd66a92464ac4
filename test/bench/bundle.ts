/** How large is the window? What a first visit fetches, what comes when a view or a language is opened, and the fonts. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { EnvironmentError } from '../../core/base/errors.ts';
import type { Command } from '../../main/cli/command.ts';
import { listPages } from '../../main/served/pages.ts';

const BYTES_PER_KB = 1_000;
const LARGEST_SHOWN = 12;

export const bundleBenchmark: Command = {
  summary: 'The size of the built window: first load, later parts, fonts.',
  usage: '[--json]',
  options: {},
  run: async () => {
    const pages = await listPages(fileURLToPath(new URL('../../build/renderer', import.meta.url)));
    if (!pages.has('/')) throw new EnvironmentError('bench.not-built', 'The window is not built yet. Run "npm start" once, or "npm test".');
    const html = await readFile(pages.get('/')?.file ?? '', 'utf8');
    const first = new Set(['/', ...[...html.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map(([, path]) => path ?? '')]);
    const parts = await Promise.all([...pages].filter(([path]) => path !== '/index.html').map(async ([path, { file }]) => {
      const content = await readFile(file);
      return { path, kB: content.length / BYTES_PER_KB, gzipKB: gzipSync(content).length / BYTES_PER_KB };
    }));
    const sum = (chosen: readonly { readonly kB: number; readonly gzipKB: number }[]): { readonly files: number; readonly kB: number; readonly gzipKB: number } => ({ files: chosen.length, kB: Math.round(chosen.reduce((all, { kB }) => all + kB, 0)), gzipKB: Math.round(chosen.reduce((all, { gzipKB }) => all + gzipKB, 0)) });
    const isFont = (path: string): boolean => path.endsWith('.woff2');
    const isProgram = (path: string): boolean => /\.(?:js|css|html)$/.test(path) || path === '/';
    const json = {
      firstLoad: sum(parts.filter(({ path }) => first.has(path))),
      later: sum(parts.filter(({ path }) => isProgram(path) && !first.has(path))),
      fonts: sum(parts.filter(({ path }) => isFont(path))),
      largest: parts.filter(({ path }) => isProgram(path)).toSorted((a, b) => b.kB - a.kB).slice(0, LARGEST_SHOWN).map(({ path, kB, gzipKB }) => ({ path, kB: Math.round(kB), gzipKB: Math.round(gzipKB) })),
    };
    return { json, text: `First load ${String(json.firstLoad.kB)} kB (${String(json.firstLoad.gzipKB)} kB compressed) in ${String(json.firstLoad.files)} files; ${String(json.later.kB)} kB come when a view or a language is opened; fonts ${String(json.fonts.kB)} kB, each when a letter of it is shown.` };
  },
};
