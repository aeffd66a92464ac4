import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorOffset, jsonPlaces, lineAt } from './json-places.ts';

describe('jsonPlaces', () => {
  it('finds every value: of a key where the key stands, of a list where the value stands', () => {
    const text = '{\n  "a": [1, {"b c": "x\\"}"}],\n  "d": null\n}';
    const places = jsonPlaces(text);
    expect([...places.keys()].sort()).toEqual(['', 'a', 'a/0', 'a/1', 'a/1/b c', 'd']);
    expect(text.slice(places.get('a'))).toMatch(/^"a"/);
    expect(text.slice(places.get('a/0'))).toMatch(/^1,/);
    expect(text.slice(places.get('a/1/b c'))).toMatch(/^"b c"/);
    expect(lineAt(text, places.get('d') ?? 0)).toBe(3);
  });

  it('has a place for every value of any JSON, written with or without spaces', () => {
    const pathsOf = (value: unknown, path = ''): string[] =>
      typeof value !== 'object' || value === null ? [path] : [path, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, path === '' ? key : `${path}/${key}`))];
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, spaces) => {
        const text = JSON.stringify(value, null, spaces);
        expect(new Set(jsonPlaces(text).keys())).toEqual(new Set(pathsOf(JSON.parse(text))));
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});

describe('jsonErrorOffset', () => {
  it('is null for JSON, and the place of the first wrong sign else', () => {
    expect(jsonErrorOffset('{"a": [1, 2]}')).toBeNull();
    expect(jsonErrorOffset('[1, x]')).toBe(4);
    expect(jsonErrorOffset('{"a": 1 "b": 2}')).toBe(8);
    expect(jsonErrorOffset('{"a": 1')).toBe(7);
    expect(jsonErrorOffset('')).toBe(0);
  });
});

describe('lineAt', () => {
  it('counts from 1, and stays on the last line beyond the end', () => {
    expect([lineAt('a\nb', 0), lineAt('a\nb', 1), lineAt('a\nb', 2), lineAt('a\nb', 99)]).toEqual([1, 1, 2, 2]);
  });
});
