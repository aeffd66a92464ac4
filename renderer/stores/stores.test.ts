/** Do places become addresses and back, and do chosen files become the right corpora? */
import { describe, expect, it } from 'vitest';
import { fileName, groupPaths, hasAllLanguages } from './pending-corpora.ts';
import { AREAS, COMMON_PLACES, fragmentOf, placeOf, type Place } from './place.ts';

describe('a place', () => {
  const places: readonly Place[] = [{ kind: 'welcome' }, { kind: 'new-project' }, ...COMMON_PLACES.map((kind) => ({ kind })), ...AREAS.map((area) => ({ kind: 'project', projectId: '9a37-0e', area }) as const)];

  it.each(places)('goes into the address and comes back: %o', (place) => {
    expect(placeOf(fragmentOf(place))).toEqual(place);
  });

  it('an address that means nothing is the welcome; an unknown area is the first', () => {
    expect(placeOf('#token=abc')).toEqual({ kind: 'welcome' });
    expect(placeOf('#/project//texts')).toEqual({ kind: 'welcome' });
    expect(placeOf('#/project/p/nonsense')).toEqual({ kind: 'project', projectId: 'p', area: 'language' });
  });
});

describe('chosen files', () => {
  it('two plain text files for the pairs are one Moses corpus', () => {
    expect(groupPaths('pairs', ['/a/x.en', '/a/x.sw'])).toEqual([['/a/x.en', '/a/x.sw']]);
    expect(groupPaths('pairs', ['/a/x.en.gz', '/a/x.sw.gz'])).toEqual([['/a/x.en.gz', '/a/x.sw.gz']]);
  });

  it('files that hold both languages, and files for the other boxes, stand alone', () => {
    expect(groupPaths('pairs', ['/a/x.tsv', '/a/y.tmx'])).toEqual([['/a/x.tsv'], ['/a/y.tmx']]);
    expect(groupPaths('pairs', ['/a/x.tsv.gz', '/a/y.txt'])).toEqual([['/a/x.tsv.gz'], ['/a/y.txt']]);
    expect(groupPaths('texts', ['/a/x.txt', '/a/y.txt'])).toEqual([['/a/x.txt'], ['/a/y.txt']]);
    expect(groupPaths('pairs', ['/a', '/b', '/c'])).toHaveLength(3);
  });

  it('are named by the last part of their path', () => {
    expect(fileName('/a/b/c.tsv')).toBe('c.tsv');
    expect(fileName('C:\\texts\\c.tsv')).toBe('c.tsv');
    expect(fileName('/a/b/')).toBe('b');
  });

  it('have all languages only when none is missing and both sides differ', () => {
    expect(hasAllLanguages({ kind: 'one', language: 'sw' })).toBe(true);
    expect(hasAllLanguages({ kind: 'one', language: null })).toBe(false);
    expect(hasAllLanguages({ kind: 'two', source: 'en', target: null })).toBe(false);
    expect(hasAllLanguages({ kind: 'two', source: 'en', target: 'en' })).toBe(false);
    expect(hasAllLanguages({ kind: 'two', source: 'en', target: 'sw' })).toBe(true);
  });
});
