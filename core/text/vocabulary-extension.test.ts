/** Facts about adding a language to a finished vocabulary. */
import { describe, expect, it } from 'vitest';
import { createTokenizer } from './tokenizer.ts';
import { trainUnigram } from './unigram-trainer.ts';
import { extendUnigram } from './vocabulary-extension.ts';

const english = Array.from({ length: 6 }, () => [
  'the women carried water from the river before the sun rose over the hills',
  'a farmer called stewart gave the children seeds and water near the old bridge',
  'stewart walked over the bridge before the children carried seeds from the farmer',
]).flat();
const swahili = Array.from({ length: 6 }, () => [
  'wanawake walibeba maji kutoka mtoni kabla ya jua kuchomoza',
  'mkulima stewart aliwapa watoto mbegu na maji karibu na daraja',
  'watoto walibeba mbegu kutoka kwa mkulima stewart kabla ya jua',
]).flat();
const weighted = (texts: readonly string[]): { text: string; weight: number }[] => texts.map((text) => ({ text, weight: 1 }));

const base = await trainUnigram({ texts: weighted(english), vocabularySize: 70 });
const extra = await trainUnigram({ texts: weighted(swahili), vocabularySize: 90 });

describe('extendUnigram', () => {
  it('keeps every old id and appends what is new, once', () => {
    const { model, firstNewId } = extendUnigram(base, extra);
    expect(firstNewId).toBe(base.pieces.length);
    expect(model.pieces.slice(0, firstNewId)).toEqual(base.pieces);
    expect(new Set(model.pieces).size).toBe(model.pieces.length);
    expect(model.pieces.length).toBeGreaterThan(firstNewId);
    expect(model.unknownId).toBe(base.unknownId);
  });
  it('cuts the new language into about as few pieces as its own vocabulary does', () => {
    const joint = createTokenizer(extendUnigram(base, extra).model);
    const [own, old] = [createTokenizer(extra), createTokenizer(base)];
    const count = (tokenizer: typeof joint): number => swahili.reduce((sum, text) => sum + tokenizer.encode(text).length, 0);
    expect(count(joint)).toBeLessThanOrEqual(1.05 * count(own));
    expect(count(joint)).toBeLessThan(0.8 * count(old));
  });
  it('leaves protected text cut as before, also where both languages share a name', () => {
    const old = createTokenizer(base);
    const joint = createTokenizer(extendUnigram(base, extra, { protectedTexts: english }).model);
    const changed = english.filter((text) => old.encode(text).join() !== joint.encode(text).join());
    expect(changed).toEqual([]);
  });
});
