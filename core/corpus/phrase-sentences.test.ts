/** Are the sentences found that show a phrase, and no others, in any script and order? */
import { describe, expect, it } from 'vitest';
import { findSentences, type FindSentencesOptions } from './phrase-sentences.ts';

const { signal } = new AbortController();
async function* batches(sentences: readonly string[]): AsyncGenerator<readonly string[]> {
  for (let at = 0; at < sentences.length; at += 2) yield await Promise.resolve(sentences.slice(at, at + 2));
}
const find = (phrases: readonly string[], sentences: readonly string[], more: Partial<FindSentencesOptions> = {}) => findSentences({ phrases, sentences: batches(sentences), most: 3, leastMore: 1, signal, ...more });

describe('findSentences', () => {
  it('finds whole phrases, whatever their case, and the longer of two that begin alike', async () => {
    const sentences = ['The red house is old.', 'A RED house!', 'Redhouse is a name.', 'red houses', 'the red house boat floats'];
    const [house, boat, none] = await find(['red house', 'Red House Boat', 'blue'], sentences);
    expect(house?.toSorted()).toEqual(['A RED house!', 'The red house is old.', 'the red house boat floats']);
    expect(boat).toEqual(['the red house boat floats']);
    expect(none).toEqual([]);
  });

  it('finds phrases anywhere in scripts without spaces, on word borders in Arabic and Devanagari', async () => {
    expect(await find(['แม่น้ำ', '河'], ['เขาข้ามแม่น้ำไป', '黄河很长。'])).toEqual([['เขาข้ามแม่น้ำไป'], ['黄河很长。']]);
    expect(await find(['نهر', 'नदी'], ['عبر النهر', 'نهر كبير', 'नदियाँ बहुत हैं', 'नदी बड़ी है'])).toEqual([['نهر كبير'], ['नदी बड़ी है']]);
  });

  it('takes spelling as loosely as it is told', async () => {
    const sentences = ['el Río crece mucho', 'el rio baja ahora', 'el río sube tarde'];
    expect((await find(['río'], sentences)).flat()).toHaveLength(3);
    expect((await find(['río'], sentences, { spelling: 'case' })).flat().toSorted()).toEqual(['el Río crece mucho', 'el río sube tarde']);
    expect(await find(['río'], sentences, { spelling: 'exact' })).toEqual([['el río sube tarde']]);
    expect((await find(['río'], sentences, { most: 2 })).flat()).not.toContain('el rio baja ahora'); // alike but for case comes first
  });

  it('keeps the same sample in whatever order the texts come, each sentence once, none that is hardly longer than the phrase', async () => {
    const sentences = Array.from({ length: 40 }, (_, i) => `the river number ${i} is wide`);
    const [kept = []] = await find(['river'], sentences);
    expect(kept).toHaveLength(3);
    expect(await find(['river'], sentences.toReversed())).toEqual([kept]);
    expect(await find(['river'], [...sentences, ...sentences])).toEqual([kept]);
    expect((await find(['river'], ['A river flows.', 'river!'], { leastMore: 10 })).flat()).toEqual([]); // WikiXPR: at least 10 characters more
    expect((await find(['river'], ['the river of long sentences'], { longest: 20 })).flat()).toEqual([]);
  });

  it('gives each spelling of one phrase the same sentences, and nothing for a phrase of signs', async () => {
    expect(await find(['River', 'river', '…'], ['a river runs'])).toEqual([['a river runs'], ['a river runs'], []]);
  });

  it('stops when told to', async () => {
    await expect(find(['a'], ['a b c'], { signal: AbortSignal.abort() })).rejects.toThrow();
  });
});
