/** Does the build find every font and every licence that the window and the program need? */
import { describe, expect, it } from 'vitest';
import { partsOf } from './fonts.config.ts';
import { gatherLicences } from './licences.config.ts';
import { familiesFor, FONT_FACES } from './styles/font-faces.ts';

describe('fonts', () => {
  it('are all installed with the parts that the table names, under the Open Font License', () => {
    const parts = FONT_FACES.flatMap(partsOf);
    expect(parts.length).toBeGreaterThan(80);
    for (const { range } of parts) expect(range).toMatch(/^U\+/i);
    expect(new Set(FONT_FACES.flatMap(({ scripts }) => scripts)).size).toBeGreaterThan(45);
    for (const { licence, text } of gatherLicences(FONT_FACES.map((face) => face.package)).fonts) expect(`${licence} ${String(text !== null)}`).toBe('OFL-1.1 true');
  });

  it('of a script begin with the usual one; of an unknown script they are those of Latin', () => {
    expect(familiesFor('Arab')[0]).toBe('Noto Sans Arabic');
    expect(familiesFor('Ethi')).toEqual(['Noto Sans Ethiopic']);
    expect(familiesFor(null)).toEqual(familiesFor('Latn'));
    expect(familiesFor('Latn')[0]).toBe('Charis SIL');
    expect(familiesFor('Zzzz')).toEqual([]);
  });
});

describe('licences', () => {
  it('are those of every package that the program needs, with their texts; none forbids sharing the program', () => {
    const { packages, texts, data } = gatherLicences(['vue']);
    expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['vue', 'zod', 'onnxruntime-node', '@lancedb/lancedb', 'electron', 'ws']));
    expect(packages.filter(({ licence }) => /\b(?:A?GPL|SSPL|BUSL|CC-BY-NC)/.test(licence)).map(({ name }) => name)).toEqual([]);
    expect(packages.filter(({ text }) => text === null)).toEqual([]);
    expect(new Set(texts).size).toBe(texts.length);
    expect(data.map(({ name }) => name)).toEqual(['starter', 'sample']);
    expect(data[0]?.licence).toContain('CC BY-SA 4.0');
  });
});
