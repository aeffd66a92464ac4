/** Which sources are there, and what do they import? */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

const NOT_OURS = new Set(['node_modules', 'build', '.git', 'coverage', '.isogloss']);

export type Source = {
  /** Relative to the repository, "/" between parts. */
  readonly path: string;
  readonly text: string;
  /** As written. */
  readonly imports: readonly string[];
  /** Those that are files of ours, relative to the repository. */
  readonly files: readonly string[];
  /** Names of npm packages and of Node's own modules ("node:fs"). */
  readonly packages: readonly string[];
  readonly isTest: boolean;
};

/** All files of the repository, relative, "/" between parts. */
export function listFiles(folder = root): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(folder, entry.name)) : [relative(root, join(folder, entry.name)).split(sep).join('/')]));
}

/** Every .ts, .mjs and .vue of the repository with its imports. */
export function readSources(): readonly Source[] {
  return listFiles()
    .filter((path) => /\.(ts|mjs|vue)$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const imports = ts.preProcessFile(scriptOf(path, text), true, true).importedFiles.map(({ fileName }) => fileName);
      const isFile = (name: string): boolean => name.startsWith('.');
      return {
        path,
        text,
        imports,
        files: imports.filter(isFile).map((name) => relative(root, resolve(root, dirname(path), name.replace(/\?.*$/, ''))).split(sep).join('/')),
        packages: imports.filter((name) => !isFile(name)).map(packageOf),
        isTest: /\.test\.ts$/.test(path) || path.startsWith('test/'),
      };
    });
}

/** "core/text/segment.ts" -> "core/text"; a file at the top of core, main, renderer or test belongs to that. */
export function folderOf(path: string): string {
  const parts = path.split('/');
  return parts.length > 2 ? `${parts[0] ?? ''}/${parts[1] ?? ''}` : (parts[0] ?? '');
}

function scriptOf(path: string, text: string): string {
  if (!path.endsWith('.vue')) return text;
  return [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '').join('\n');
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return name;
  const parts = name.split('/');
  return name.startsWith('@') ? `${parts[0] ?? ''}/${parts[1] ?? ''}` : (parts[0] ?? name);
}
