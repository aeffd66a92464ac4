/** How is the shipped English starter made? A training run on question-passage data alone, its table stored in 8 bits with a card. */
import { rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { readModelFolder } from '../encoding/model-folder.ts';
import { STARTER_CARD, writeStarterFolder } from '../encoding/starter-folder.ts';
import { readTokenizer } from '../text/tokenizer.ts';
import type { ReportTraining, TrainingSummary } from './events.ts';
import { checkOutputFolder } from './output-folder.ts';
import { parseRecipe } from './recipe.ts';
import { runTraining } from './run-training.ts';
import { InvariantError } from '../base/errors.ts';

export type MakeStarterOptions = {
  /** JSONL files of question-passage pairs. */
  readonly pairs: readonly string[];
  readonly outputFolder: string;
  readonly vocabularySize: number;
  readonly width: number;
  readonly steps: number;
  readonly seed: number;
  readonly threads: number;
  /** Printed on the card: where the data is from, its licences. */
  readonly attribution: string;
  readonly signal: AbortSignal;
  readonly report: ReportTraining;
};

/** 12,000 English pieces of width 1,024 in 8 bits are 12.3 MB: the repository holds at most 15 MB of weights. */
export const STARTER_DEFAULTS = { vocabularySize: 12_000, width: 1024, steps: 480, seed: 1 } as const;

/** On the development split a starter trained with all tokens carried new languages a little further (test/experiments/choices.md). */
const NO_DROPOUT = 0;

/** Trains and writes a starter folder. @throws as `runTraining`. */
export async function makeStarter(options: MakeStarterOptions): Promise<TrainingSummary> {
  const { outputFolder, vocabularySize, width, steps, seed, signal, report, threads } = options;
  const text = JSON.stringify({ encoder: { kind: 'static', width, vocabularySize }, retrieval: options.pairs.map((path) => ({ pairs: resolve(path) })), optimizer: { tokenDropout: NO_DROPOUT }, budget: { steps }, seed });
  const recipe = await parseRecipe({ text, recipePath: 'starter', folder: '/' });
  await checkOutputFolder(outputFolder, STARTER_CARD);
  const modelFolder = `${resolve(outputFolder)}.model`;
  try {
    const summary = await runTraining({ recipe, outputFolder: modelFolder, starterFolder: '', threads, device: 'cpu', resume: false, signal, report });
    if (summary === null) throw new InvariantError('starter.no-model', 'The training of the starter gave no model.');
    const { model } = await readModelFolder(modelFolder);
    const { pieces, scores, unknownId } = readTokenizer(model.tokenizer);
    await writeStarterFolder(
      outputFolder,
      { language: model.pivot, width, vocabulary: { pieces: [...pieces], scores: [...scores], unknownId }, rows: model.table, weights: model.weights, mean: model.mean, scale: model.scale },
      {
        training: { pairs: options.pairs.map((path) => basename(path)), steps: summary.steps, seed, losses: JSON.parse(JSON.stringify(summary.losses)), cpuSeconds: Math.round(summary.cpuSeconds), node: process.version },
        readme: cardText({ summary, options, pieces: pieces.length }),
      },
    );
    return { ...summary, model: resolve(outputFolder) };
  } finally {
    await rm(modelFolder, { recursive: true, force: true });
  }
}

function cardText({ summary, options, pieces }: { readonly summary: TrainingSummary; readonly options: MakeStarterOptions; readonly pieces: number }): string {
  return `# The English starter: model card

- What: English token vectors (${pieces} pieces, width ${options.width}, 8 bits a number), token weights and whitening, for recipes without
  question-passage data of their own. English rows stay as they are; rows of a new language start from word translations.
- Made by: \`npm run -s isogloss -- starter\` (core/training/make-starter.ts): retrieval loss alone, ${summary.steps} steps, seed ${options.seed},
  ${Math.round(summary.cpuSeconds)} CPU-seconds, final loss ${summary.losses.retrieval.toFixed(3)} nats.
- Data: ${options.attribution}
- Only weights are shipped: none of the text is in this folder.
- Limits: trained on encyclopaedic and medical English; texts of other kinds are found less well. Not for judging people.
`;
}
