/** What must every folder and file have, and what must none have? */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, readSources, root } from './sources.ts';

const README_LINES = 20;
const SOURCE_LINES = 600; // the aim is 400; beyond this a file answers two questions

/** Fixed by the owner, and what tools demand at the root. */
const AT_THE_ROOT = new Set([
  'package.json', 'forge.config.ts', 'tsconfig.json', 'main', 'renderer', 'core', 'test',
  'README.md', 'LICENSE', 'CHANGELOG.md', '.npmrc', '.gitignore', '.gitattributes', 'package-lock.json', 'eslint.config.ts', 'vitest.config.ts', '.ci',
  '.git', 'node_modules', 'build', 'coverage', '.isogloss',
]);

const NAMELESS = /(^|\/)(util|utils|misc|helpers|common|shared|lib)\//;
const TEXT = /\.(ts|mjs|vue|json|md|css|html|txt|py|yml|yaml|npmrc)$|(^|\/)(\.npmrc|\.gitignore|run)$/;

const files = listFiles();
const sources = readSources();
const folders = [...new Set(sources.map(({ path }) => path.split('/').slice(0, 2)).flatMap(([top = '', second = '']) => (second.includes('.') ? [top] : [top, `${top}/${second}`])))].filter((folder) => !folder.includes('.'));

describe('folders', () => {
  it('are found, so that the rules below judge something', () => {
    expect(folders).toContain('main/served');
    expect(folders).toContain('core/base');
    expect(folders.length).toBeGreaterThan(15);
  });

  it('each have a README', () => {
    expect(folders.filter((folder) => !existsSync(join(root, folder, 'README.md')))).toEqual([]);
  });

  it(`have READMEs of at most ${String(README_LINES)} lines`, () => {
    const long = folders.filter((folder) => existsSync(join(root, folder, 'README.md'))).filter((folder) => readFileSync(join(root, folder, 'README.md'), 'utf8').trimEnd().split('\n').length > README_LINES);
    expect(long).toEqual([]);
  });

  it('have a name that says what is in them', () => {
    expect(files.filter((path) => NAMELESS.test(path))).toEqual([]);
  });

  it('at the root are those of the house and of its tools', () => {
    expect(readdirSync(root).filter((name) => !AT_THE_ROOT.has(name))).toEqual([]);
  });
});

describe('sources', () => {
  it('begin by saying which question they answer', () => {
    const silent = sources.filter(({ path, text }) => !path.endsWith('.test.ts') && (path.endsWith('.vue') ? !/<script[^>]*>\s*\/\*\*/.test(text) : !text.replace(/^#!.*\n/, '').startsWith('/**')));
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it(`have at most ${String(SOURCE_LINES)} lines`, () => {
    expect(sources.filter(({ text }) => text.split('\n').length > SOURCE_LINES).map(({ path }) => path)).toEqual([]);
  });
});

describe('no file', () => {
  const texts = files.filter((path) => TEXT.test(path) && !path.startsWith('core/sample/') && path !== 'test/architecture/folders.test.ts').map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

  it('goes unread by the rules below', () => {
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.map(({ path }) => path)).toContain('package-lock.json');
  });

  it('names a place on one machine', () => {
    const place = /(?<![\w.])(\/home\/\w|\/root\/|\/Users\/\w|\/work\/|[A-Z]:\\Users\\)/;
    expect(texts.filter(({ text }) => place.test(text)).map(({ path, text }) => `${path}: ${place.exec(text)?.[0] ?? ''}`)).toEqual([]);
  });

  it('names a package registry', () => {
    const registry = /registry\.npmjs|registry\.yarnpkg|\bpypi\.org|artifactory|[/.]nexus[/.]|"resolved":\s*"https?:/i;
    expect(texts.filter(({ text }) => registry.test(text)).map(({ path, text }) => `${path}: ${registry.exec(text)?.[0] ?? ''}`)).toEqual([]);
  });
});
