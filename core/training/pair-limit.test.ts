import { expect, it } from 'vitest';
import { limitPairs } from './pair-limit.ts';

const corpus = (name: string, target: string, count: number): Parameters<typeof limitPairs>[0][number] => ({ name, source: 'en', target, pairs: Array.from({ length: count }, (_, i) => ({ source: `${name} ${i}`, target: `${target} ${i}` })) });

it('keeps at most so many pairs of a language, of each of its corpora the same share, in their order, the same for a seed', () => {
  const corpora = [corpus('bible', 'sw', 800), corpus('news', 'sw', 200), corpus('tales', 'th', 90)];
  const limited = limitPairs(corpora, 100, 1);
  expect(limited.map(({ pairs }) => pairs.length)).toEqual([80, 20, 90]);
  const places = limited[0]?.pairs.map(({ source }) => Number(source.split(' ')[1])) ?? [];
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places.at(-1)).toBeGreaterThan(400); // from everywhere
  expect(limitPairs(corpora, 100, 1)).toEqual(limited);
  expect(limitPairs(corpora, 100, 2)).not.toEqual(limited);
  expect(limitPairs(corpora, 1000, 1)).toEqual(corpora);
});
