/** `isogloss backbone`: is a brought model usable, and what would training it cost here? And how does a trained one go out to other programs? */
import { resolve } from 'node:path';
import { exportModel } from '../../core/encoding/export-model.ts';
import type { BackboneInspection } from '../contract/backbone.ts';
import { inspectInWorker } from '../workers/inspect-in-worker.ts';
import { nodeProcesses } from '../workers/process.ts';
import { choice, optional, required, wholeNumber, type Command, type CommandResult, type OptionValues } from './command.ts';
import { workerScript } from './places.ts';
import { describeDuration } from './progress.ts';

const MS_PER_SECOND = 1000;
const BYTES_PER_MB = 2 ** 20;

export const backboneCommand: Command = {
  summary: 'Looks at a pretrained model in a folder: what is missing, and what training it would take here. Exports a trained one.',
  usage: '--inspect FOLDER [--pairs-per-step N] [--query-tokens N] [--document-tokens N] [--separate-encoders] [--freeze-embeddings] | --export MODEL --out DIR [--format safetensors|onnx|both] [--dtype f32|f16] [--licence ID] [--licence-unknown] [--json]',
  options: {
    inspect: { type: 'string' },
    'pairs-per-step': { type: 'string' },
    'query-tokens': { type: 'string' },
    'document-tokens': { type: 'string' },
    'separate-encoders': { type: 'boolean' },
    'freeze-embeddings': { type: 'boolean' },
    export: { type: 'string' },
    out: { type: 'string' },
    format: { type: 'string' },
    dtype: { type: 'string' },
    licence: { type: 'string' },
    'licence-unknown': { type: 'boolean' },
  },
  run: async (values, { signal }) => {
    if (optional(values, 'export') !== null) return exportTrained(values, signal);
    const folder = resolve(required(values, 'inspect', 'the folder of a model (Hugging Face, sentence-transformers or ONNX)'));
    const found = await inspectInWorker(nodeProcesses(workerScript), { folder, setup: setupOf(values) }, signal);
    return { json: found, text: describe(found) };
  },
};

/** Writes what others load; a model with an encoder of its own for queries as two folders. */
async function exportTrained(values: OptionValues, signal: AbortSignal): Promise<CommandResult> {
  const out = resolve(required(values, 'out', 'the folder to write'));
  const format = choice(values, 'format', ['safetensors', 'onnx', 'both']);
  const dtype = choice(values, 'dtype', ['f32', 'f16']);
  const folders = await exportModel({
    modelFolder: resolve(required(values, 'export', 'the folder of a trained model')),
    out,
    formats: format === 'both' ? ['safetensors', 'onnx'] : [format],
    dtype: dtype === 'f16' ? 'F16' : 'F32',
    licence: optional(values, 'licence'),
    allowsUnknownLicence: values['licence-unknown'] === true,
    signal,
  });
  return { json: { folders, format, dtype }, text: `Written: ${folders.join(', ')}` };
}

function setupOf(values: OptionValues): { pairsPerStep?: number; queryTokens?: number; documentTokens?: number; encoders: 1 | 2; freezesEmbeddings: boolean } {
  const pairsPerStep = wholeNumber(values, 'pairs-per-step', { least: 1, most: 65_536 });
  const queryTokens = wholeNumber(values, 'query-tokens', { least: 3, most: 8192 });
  const documentTokens = wholeNumber(values, 'document-tokens', { least: 3, most: 8192 });
  return {
    ...(pairsPerStep === null ? {} : { pairsPerStep }),
    ...(queryTokens === null ? {} : { queryTokens }),
    ...(documentTokens === null ? {} : { documentTokens }),
    encoders: values['separate-encoders'] === true ? 2 : 1,
    freezesEmbeddings: values['freeze-embeddings'] === true,
  };
}

function describe(found: BackboneInspection): string {
  if (found.status === 'refused') return ['This model cannot be used:', ...found.problems.map(({ message }) => `- ${message}`)].join('\n');
  const { facts, cost } = found;
  const size = facts.layers === null ? `width ${String(facts.width)}` : `${String(facts.layers)} layers of width ${String(facts.width)}`;
  const time = cost.secondsPer1000Steps === null ? 'the time of a step shows when it runs' : `1,000 steps take about ${describeDuration(cost.secondsPer1000Steps * MS_PER_SECOND)}`;
  return [
    `${facts.family ?? 'ONNX'} model: ${size}, ${String(facts.pieces)} pieces, ${String(facts.parameters)} parameters, texts of up to ${String(facts.maxTokens)} tokens.`,
    `Vectors: ${facts.pooling.mode}${facts.pooling.dense ? ', a dense layer' : ''}${facts.pooling.normalise ? ', length 1' : ''}. Licence: ${facts.licence ?? 'not said'}.`,
    `Training (${String(cost.pairsPerStep)} pairs a step): about ${String(Math.ceil(cost.memoryBytes / BYTES_PER_MB))} MB of ${String(Math.floor(cost.availableBytes / BYTES_PER_MB))} MB; ${time}.`,
  ].join('\n');
}
