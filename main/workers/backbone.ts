/** Worker: what is in this model folder? It runs under a memory cap (process.ts), so that a hostile file ends it and nothing else. */
import { inspectBackbone } from '../../core/training/backbone-inspection/inspect-backbone.ts';
import { InputError } from '../../core/base/errors.ts';
import { readCorpora } from '../../core/training/corpora.ts';
import { parseRecipe } from '../../core/training/recipe.ts';
import { answerCalls } from './answer.ts';

answerCalls({
  backbone: ({ folder, setup, memoryBytes, corpora = null }, { signal }) => {
    const { pairsPerStep, queryTokens, documentTokens, encoders, freezesEmbeddings } = setup;
    const said = {
      ...(pairsPerStep === undefined ? {} : { pairsPerStep }),
      ...(queryTokens === undefined ? {} : { queryTokens }),
      ...(documentTokens === undefined ? {} : { documentTokens }),
      ...(encoders === undefined ? {} : { encoders }),
      ...(freezesEmbeddings === undefined ? {} : { freezesEmbeddings }),
    };
    return inspectBackbone(folder, { setup: said, signal, ...(memoryBytes === null ? {} : { memoryBytes }), ...(corpora === null ? {} : { texts: () => textsOf(corpora, signal) }) });
  },
});

/** Every text of the corpora; null for corpora that cannot be read: what is wrong with them is said where they are shown. */
async function textsOf(corpora: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Iterable<string> | null> {
  try {
    const recipe = await parseRecipe({ text: JSON.stringify(corpora), recipePath: 'corpora', folder: '/' });
    const { retrieval, parallel, monolingual } = await readCorpora({ recipe, signal, onProblem: () => undefined, onFile: () => undefined });
    return [...retrieval.flatMap(({ query, passage }) => [query, passage]), ...parallel.flatMap(({ pairs }) => pairs.flatMap(({ source, target }) => [source, target])), ...monolingual.flatMap(({ sentences }) => sentences)];
  } catch (thrown) {
    if (thrown instanceof InputError) return null;
    throw thrown;
  }
}
