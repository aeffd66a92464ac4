/** Are two languages paired over a third, each sentence once? */
import { describe, expect, it } from 'vitest';
import { joinedPairs } from './joined-pairs.ts';

describe('joinedPairs', () => {
  it('pairs what has the same third sentence, however it is written, and leaves out the rest', () => {
    const finnish = [{ source: 'kissa', target: 'A cat.' }, { source: 'koira', target: 'a dog.' }, { source: 'hevonen', target: 'A horse.' }];
    const japanese = [{ source: '犬', target: 'A dog.' }, { source: '猫', target: 'a  cat.' }, { source: '鳥', target: 'A bird.' }];
    expect(joinedPairs(finnish, japanese)).toEqual([{ source: 'kissa', target: '猫' }, { source: 'koira', target: '犬' }]);
  });

  it('uses no sentence twice', () => {
    const a = [{ source: 'x1', target: 'p' }, { source: 'x2', target: 'p' }];
    const b = [{ source: 'y1', target: 'p' }, { source: 'y2', target: 'p' }];
    expect(joinedPairs(a, b)).toEqual([{ source: 'x1', target: 'y1' }]);
  });
});
