/** Who may import whom? The floors of architecture.md, held by tests and not by discipline. */
import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';
import { folderOf, readSources, type Source } from './sources.ts';

/** A folder of core may import folders with a lower number only. */
const FLOORS: Readonly<Record<string, number>> = {
  base: 0,
  text: 1,
  tensor: 1,
  metrics: 1,
  formats: 1,
  graph: 2,
  corpus: 2,
  documents: 2,
  alignment: 2,
  autodiff: 3,
  sampling: 3,
  modules: 4,
  losses: 4,
  optimizers: 4,
  runtime: 5,
  encoding: 6,
  retrieval: 7,
  training: 8,
  evaluation: 8,
};

/** Folders of core that hold data, not programs. */
const DATA_FOLDERS = ['sample', 'starter'];

const PURE_FLOORS = ['tensor', 'metrics', 'graph', 'autodiff', 'modules', 'losses'];

/** A dependency with a native part or a protocol enters by one folder, which owns its lifetime. */
const SOLE_IMPORTERS: Readonly<Record<string, string>> = {
  'onnxruntime-node': 'core/runtime',
  '@lancedb/lancedb': 'core/retrieval',
  ws: 'main/served',
  electron: 'main/electron',
  vue: 'renderer',
  pinia: 'renderer',
  'reka-ui': 'renderer',
  'playwright-core': 'test/end-to-end',
};

const sources = readSources();
const programs = sources.filter(({ isTest }) => !isTest);
const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

describe('the sources', () => {
  it('are there, with their imports, so that the rules below judge something', () => {
    expect(programs.filter(({ path }) => isIn(path, 'core')).length).toBeGreaterThan(20);
    expect(programs.filter(({ path }) => isIn(path, 'main')).length).toBeGreaterThan(20);
    expect(sources.find(({ path }) => path === 'main/api/router.ts')?.files).toContain('main/contract/index.ts');
    expect(sources.find(({ path }) => path === 'main/api/router.ts')?.packages).toContain('@orpc/server');
  });

  it('import only files that exist', () => {
    const known = new Set(sources.map(({ path }) => path));
    const missing = sources.flatMap(({ path, files }) => files.filter((file) => /\.(ts|mjs|vue)$/.test(file) && !known.has(file)).map((file) => `${path} -> ${file}`));
    expect(missing).toEqual([]);
  });
});

describe('core', () => {
  it('has a floor for each of its folders', () => {
    const folders = new Set(programs.filter(({ path }) => isIn(path, 'core')).map(({ path }) => path.split('/')[1] ?? ''));
    expect([...folders].filter((folder) => !(folder in FLOORS) && !DATA_FOLDERS.includes(folder))).toEqual([]);
  });

  it('imports downwards only', () => {
    const wrong = programs
      .filter(({ path }) => isIn(path, 'core'))
      .flatMap(({ path, files }) => files.filter((file) => !isBelow(path, file)).map((file) => `${path} -> ${file}`));
    expect(wrong).toEqual([]);
  });

  it('knows no Node in its pure floors', () => {
    const pure = programs.filter(({ path }) => PURE_FLOORS.some((floor) => isIn(path, `core/${floor}`)));
    expect(pure.length).toBeGreaterThan(5);
    expect(pure.flatMap(({ path, packages }) => packages.filter((name) => isBuiltin(name)).map((name) => `${path} -> ${name}`))).toEqual([]);
  });
});

describe('main', () => {
  it('imports core and itself, never the window', () => {
    expect(outside(programs, 'main', ['main', 'core'])).toEqual([]);
  });

  it('keeps the contract free of everything but schemas', () => {
    const contract = programs.filter(({ path }) => isIn(path, 'main/contract'));
    expect(outside(programs, 'main/contract', ['main/contract'])).toEqual([]);
    expect([...new Set(contract.flatMap(({ packages }) => packages))].sort()).toEqual(['@orpc/contract', 'zod']);
  });
});

describe('the window', () => {
  it('imports the contract and itself, nothing else of ours', () => {
    expect(outside(programs, 'renderer', ['renderer', 'main/contract'])).toEqual([]);
  });

  it('knows no Node', () => {
    const window = programs.filter(({ path }) => isIn(path, 'renderer') && !path.endsWith('.config.ts'));
    expect(window.flatMap(({ path, packages }) => packages.filter((name) => isBuiltin(name)).map((name) => `${path} -> ${name}`))).toEqual([]);
  });
});

describe('dependencies', () => {
  it.each(Object.entries(SOLE_IMPORTERS))('%s enters by %s alone', (name, folder) => {
    const others = programs.filter(({ path, packages }) => packages.includes(name) && !isIn(path, folder) && !path.endsWith('.config.ts'));
    expect(others.map(({ path }) => path)).toEqual([]);
  });
});

describe('imports', () => {
  it('form no cycle', () => {
    expect(findCycle(programs)).toBeNull();
  });

  it('of a cycle would be found', () => {
    const source = (path: string, files: string[]): Source => ({ path, files, text: '', imports: [], packages: [], isTest: false });
    expect(findCycle([source('a', ['b']), source('b', ['c']), source('c', ['a'])])).toEqual(['a', 'b', 'c', 'a']);
    expect(findCycle([source('a', ['b', 'c']), source('b', ['c']), source('c', [])])).toBeNull();
  });
});

function isBelow(from: string, to: string): boolean {
  const [top, folder = ''] = to.split('/');
  if (top !== 'core') return false;
  const own = from.split('/')[1] ?? '';
  if (folder === own || DATA_FOLDERS.includes(folder)) return true;
  return (FLOORS[folder] ?? Infinity) < (FLOORS[own] ?? -1);
}

/** Imports that leave the allowed folders. */
function outside(all: readonly Source[], folder: string, allowed: readonly string[]): readonly string[] {
  return all
    .filter(({ path }) => isIn(path, folder))
    .flatMap(({ path, files }) => files.filter((file) => !allowed.some((other) => isIn(file, other)) && file !== 'package.json').map((file) => `${path} -> ${file} (${folderOf(file)})`));
}

/** The files of one cycle, its first again at the end; null when there is none. */
function findCycle(all: readonly Source[]): readonly string[] | null {
  const imports = new Map(all.map(({ path, files }) => [path, files]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | null => {
    const seen = trail.indexOf(path);
    if (seen !== -1) return [...trail.slice(seen), path];
    if (done.has(path)) return null;
    for (const next of imports.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle !== null) return cycle;
    }
    done.add(path);
    return null;
  };
  for (const { path } of all) {
    const cycle = visit(path, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
