/** Worker: what is in this model folder? It runs under a memory cap (process.ts), so that a hostile file ends it and nothing else. */
import { inspectBackbone } from '../../core/training/backbone-inspection/inspect-backbone.ts';
import { answerCalls } from './answer.ts';

answerCalls({
  backbone: ({ folder, setup, memoryBytes }, { signal }) => {
    const { pairsPerStep, queryTokens, documentTokens, encoders, freezesEmbeddings } = setup;
    const said = {
      ...(pairsPerStep === undefined ? {} : { pairsPerStep }),
      ...(queryTokens === undefined ? {} : { queryTokens }),
      ...(documentTokens === undefined ? {} : { documentTokens }),
      ...(encoders === undefined ? {} : { encoders }),
      ...(freezesEmbeddings === undefined ? {} : { freezesEmbeddings }),
    };
    return inspectBackbone(folder, { setup: said, signal, ...(memoryBytes === null ? {} : { memoryBytes }) });
  },
});
