/** Do choices become mappings and come back, also where columns share a name and tiers a type? */
import { describe, expect, it } from 'vitest';
import { columnChoices, columnValue, encodingChoices, languageChoices, markerChoices, tierChoices, tierValue, withColumn, withMarker, withSheet, withTier, type Field } from './mapping-choices.ts';

const field = (kind: Field['kind'], name: string, type = ''): Field => ({ kind, name, type, count: 3, example: `first ${name}` });

describe('columns', () => {
  const fields = [field('column', 'id'), field('column', 'text'), field('column', 'text'), field('sheet', 'Sheet 1')];

  it('are chosen by their place, so that two of one name are told apart', () => {
    expect(columnChoices(fields).map(({ value, name }) => `${value} ${name}`)).toEqual(['1 id', '2 text', '3 text']);
    const mapping = withColumn({ hasHeader: true, columns: { source: 'text', target: 'id' } }, 'source', '3', fields);
    expect(mapping).toEqual({ hasHeader: true, columns: { source: 3, target: 'id' } });
    expect([columnValue(3, fields), columnValue('text', fields), columnValue('gone', fields), columnValue(undefined, fields)]).toEqual(['3', '2', '', '']);
  });

  it('change places when one takes the place of the other, and can be taken out', () => {
    expect(withColumn({ columns: { source: 1, target: 2 } }, 'source', '2', fields)).toEqual({ columns: { source: 2, target: 1 } });
    expect(withColumn({ columns: { source: 1, target: 2, score: 3 } }, 'score', '', fields)).toEqual({ columns: { source: 1, target: 2 } });
    expect(withColumn({ columns: { target: 2 } }, 'source', '2', fields)).toEqual({ columns: { source: 2 } });
  });
});

describe('tiers', () => {
  const fields = [field('tier', 'A-tx', 'tx'), field('tier', 'B-tx', 'tx'), field('tier', 'A-ft', 'ft')];

  it('are offered one by one, and all of a type where there are several', () => {
    const { tiers, types } = tierChoices(fields);
    expect(tiers.map(({ name }) => name)).toEqual(['A-tx', 'B-tx', 'A-ft']);
    expect(types).toMatchObject([{ name: 'tx', tiers: 2, count: 6 }]);
  });

  it('come back as they were chosen, by name, type or order', () => {
    for (const tier of [{ name: 'A: x' }, { type: 'tx' }, { order: 2 }]) expect(withTier({}, 'source', tierValue(tier))).toEqual({ tiers: { source: tier } });
    expect(withTier({ tiers: { source: { name: 'a' }, target: { name: 'b' } } }, 'target', '')).toEqual({ tiers: { source: { name: 'a' } } });
    expect(withTier({ hasHeader: true, tiers: { source: { name: 'a' } } }, 'source', '')).toEqual({ hasHeader: true });
  });
});

describe('markers, sheets, languages and encodings', () => {
  it('become mappings', () => {
    expect(markerChoices([field('marker', 'lx')])[0]).toMatchObject({ value: 'lx', name: '\\lx' });
    expect(withMarker({ markers: { record: 'lx', source: 'lx' } }, 'target', 'ge')).toEqual({ markers: { record: 'lx', source: 'lx', target: 'ge' } });
    expect(withMarker({ markers: { source: 'lx', target: 'ge' } }, 'target', '')).toEqual({ markers: { source: 'lx' } });
    expect(withSheet('B')).toEqual({ sheet: 'B' });
    expect(languageChoices([field('language', 'sw', 'text'), field('language', 'en', 'translation'), field('language', 'sw', 'translation')])).toEqual(['sw', 'en']);
  });

  it('name each encoding once, the present one first', () => {
    const choices = encodingChoices('windows-1252', ['macintosh', 'windows-1252']);
    expect(choices.slice(0, 2)).toEqual(['windows-1252', 'macintosh']);
    expect(new Set(choices).size).toBe(choices.length);
    expect(encodingChoices('', [])[0]).toBe('utf-8');
  });
});
