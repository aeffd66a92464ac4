/** Which languages are connected by pairs? Those that a recipe names: by its corpora, or joined over a language that both are paired with. */
import { InputError } from '../base/errors.ts';
import { joinedPairs } from '../corpus/joined-pairs.ts';
import type { ParallelCorpus, SentencePair } from './corpora.ts';

/** Two language tags, in either order. */
export type Connection = readonly [string, string];

/**
 * The corpora of the named language pairs, and no others. A pair of languages that no corpus has is joined over each third language that
 * both have corpora with: sentences whose translations into it are the same translate each other.
 * @throws InputError 'recipe.no-connection' for a pair of languages that cannot be made so.
 * @see Hu et al. 2023, section 5.3.2 (settings 1 to 5).
 */
export function connect(corpora: readonly ParallelCorpus[], connections: readonly Connection[]): readonly ParallelCorpus[] {
  return connections.flatMap(([a, b]) => {
    const direct = corpora.filter(({ source, target }) => (source === a && target === b) || (source === b && target === a));
    if (direct.length > 0) return direct;
    const bridges = [...new Set(corpora.flatMap(({ source, target }) => [source, target]))].filter((tag) => tag !== a && tag !== b);
    const joined = bridges.flatMap((bridge): ParallelCorpus[] => {
      const pairs = joinedPairs(withBridge(corpora, a, bridge), withBridge(corpora, b, bridge));
      return pairs.length === 0 ? [] : [{ name: `${a} and ${b} over ${bridge}`, source: a, target: b, pairs }];
    });
    if (joined.length === 0) throw new InputError('recipe.no-connection', `"connections": expected pairs of "${a}" and "${b}", or of both with a third language and in part the same sentences, found none.`, { data: { languages: [a, b] } });
    return joined;
  });
}

/** All pairs of a language with the bridge, the bridge on the second side. */
function withBridge(corpora: readonly ParallelCorpus[], language: string, bridge: string): readonly SentencePair[] {
  return corpora.flatMap(({ source, target, pairs }) => {
    if (source === language && target === bridge) return pairs;
    return source === bridge && target === language ? pairs.map((pair) => ({ source: pair.target, target: pair.source })) : [];
  });
}
