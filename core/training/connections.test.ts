/** Are languages connected as the recipe says, directly or over a third, and no others? */
import { describe, expect, it } from 'vitest';
import { connect } from './connections.ts';
import type { ParallelCorpus } from './corpora.ts';

const corpus = (source: string, target: string, ids: readonly number[]): ParallelCorpus => ({ name: `${source}-${target}`, source, target, pairs: ids.map((id) => ({ source: `${source} ${id}`, target: `${target} ${id}` })) });
const corpora = [corpus('en', 'fi', [1, 2, 3]), corpus('en', 'ja', [2, 3, 4]), corpus('ko', 'en', [1, 4])];

describe('connect', () => {
  it('takes the corpora of the named languages alone, in either order', () => {
    expect(connect(corpora, [['en', 'fi'], ['en', 'ko']]).map(({ name }) => name)).toEqual(['en-fi', 'ko-en']);
  });

  it('joins two languages over the one that both are paired with (setting 3: English and Korean, Japanese and Finnish)', () => {
    const [, joined] = connect(corpora, [['en', 'ko'], ['ja', 'fi']]);
    expect(joined).toMatchObject({ source: 'ja', target: 'fi', pairs: [{ source: 'ja 2', target: 'fi 2' }, { source: 'ja 3', target: 'fi 3' }] });
    expect(connect(corpora, [['fi', 'ko']])[0]?.pairs).toEqual([{ source: 'fi 1', target: 'ko 1' }]);
  });

  it('says which languages cannot be connected', () => {
    expect(() => connect(corpora, [['fi', 'sw']])).toThrow(/"fi" and "sw"/);
    expect(() => connect([corpus('en', 'fi', [1]), corpus('en', 'ja', [2])], [['fi', 'ja']])).toThrow(/recipe.no-connection|found none/);
  });
});
