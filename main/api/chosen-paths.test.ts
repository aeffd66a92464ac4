/** Can the window name only what it was shown? */
import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { contract } from '../contract/index.ts';
import { pathSchema } from '../contract/basics.ts';
import { createChosenPaths, INNER, PATH_KEYS, showEach } from './chosen-paths.ts';

/** Every place of an input schema that holds a path: the key it stands under. */
function pathKeys(schema: unknown, key = '', seen = new Set<unknown>()): readonly string[] {
  if (schema === pathSchema) return [key];
  if (!(schema instanceof z.ZodType) || seen.has(schema)) return [];
  seen.add(schema);
  const found: string[] = [];
  if (schema instanceof z.ZodObject) for (const [name, inner] of Object.entries(schema.shape)) found.push(...pathKeys(inner, name, seen));
  else if (schema instanceof z.ZodArray) found.push(...pathKeys(schema.element, key, seen));
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) found.push(...pathKeys(option, key, seen));
  else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault || schema instanceof z.ZodReadonly) found.push(...pathKeys(schema.unwrap(), key, seen));
  else if (schema instanceof z.ZodRecord) found.push(...pathKeys(schema.valueType, key, seen));
  return found;
}

type Call = { readonly name: string; readonly input: unknown };

function calls(): readonly Call[] {
  return Object.entries(contract).flatMap(([area, rows]) => Object.entries(rows).map(([name, row]) => ({ name: `${area}.${name}`, input: Reflect.get(Reflect.get(row, '~orpc') as object, 'inputSchema') as unknown }))); // oRPC keeps its definition there
}

describe('the paths of the contract', () => {
  it('every path that a call takes is checked or named as inner', () => {
    const taking = calls().map(({ name, input }) => ({ name, keys: pathKeys(input) })).filter(({ keys }) => keys.length > 0);
    expect(taking.length).toBeGreaterThan(10);
    expect(taking.map(({ name }) => name)).toEqual(expect.arrayContaining(['files.browse', 'corpus.inspect', 'project.open', 'library.addFolder', 'document.excerpt']));
    for (const { name, keys } of taking) for (const key of keys) expect(PATH_KEYS.has(key), `${name}: ${key}`).toBe(true);
    for (const name of INNER) expect(taking.map((call) => call.name)).toContain(name);
  });
});

describe('a path', () => {
  it('that nobody chose is refused, however deep it stands', () => {
    const chosen = createChosenPaths();
    for (const input of [{ path: '/etc/passwd' }, { paths: ['/a', '/b'] }, { settings: { backbone: { folder: '/models' } } }, { path: 'relative.tsv' }, { path: '../up' }, { folder: 'C:\\Users' }]) {
      expect(() => chosen.require('corpus.inspect', input), JSON.stringify(input)).toThrow(expect.objectContaining({ code: 'file.not-chosen' }));
    }
    chosen.require('files.browse', { path: null, show: 'all' });
    chosen.require('project.update', { name: '/not/a/path', text: '/etc' });
  });

  it('that was shown may be named, exactly as it was shown', () => {
    const chosen = createChosenPaths();
    chosen.show({ path: '/media', parent: '/', entries: [{ kind: 'file', path: '/media/a.tsv' }], places: [{ path: '/media/stick' }] });
    for (const path of ['/media', '/', '/media/a.tsv', '/media/stick']) chosen.require('corpus.inspect', { paths: [path] });
    for (const path of ['/media/b.tsv', '/media/a.tsv/../b.tsv', '/media/']) expect(() => chosen.require('corpus.inspect', { paths: [path] }), path).toThrow();
  });

  it('in a text of a document is no path that was shown', () => {
    const chosen = createChosenPaths();
    chosen.show({ hits: [{ text: '/etc/passwd', title: '/etc/passwd', path: 'notes.md' }] });
    expect(() => chosen.require('corpus.inspect', { paths: ['/etc/passwd'] })).toThrow();
    expect(() => chosen.require('corpus.inspect', { paths: ['notes.md'] })).toThrow();
  });

  it('inside the library is relative, and an absolute one is refused there', () => {
    const chosen = createChosenPaths();
    chosen.require('document.excerpt', { path: 'stories/a.md' });
    expect(() => chosen.require('document.excerpt', { path: '/etc/passwd' })).toThrow();
  });

  it('that comes with an event was shown', async () => {
    const chosen = createChosenPaths();
    const stream = (async function* () { yield await Promise.resolve({ kind: 'open-path', path: '/a.isogloss' }); })();
    for await (const event of showEach(stream, chosen.show)) expect(event.kind).toBe('open-path');
    chosen.require('share.look', { path: '/a.isogloss' });
  });

  it('is not looked for in binary data, nor for ever in what has no end', () => {
    const chosen = createChosenPaths();
    const deep: Record<string, unknown> = {};
    deep['path'] = deep;
    expect(() => chosen.require('x.y', deep)).not.toThrow();
    chosen.require('files.upload', { chunk: new Blob(['/etc']) });
  });
});
