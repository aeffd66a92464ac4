/** Where is ONNX Runtime loaded? Here and nowhere else, when first needed, so that a missing binary is a sentence and not a crash. */
import type * as OnnxRuntime from 'onnxruntime-node';
import { createRequire } from 'node:module';
import { EnvironmentError } from '../base/errors.ts';

export type { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';

const PACKAGE = 'onnxruntime-node';

/** The package's exports. @throws EnvironmentError 'runtime.unavailable' when its binary is missing or does not fit this machine. */
export async function loadOnnxRuntime(): Promise<typeof OnnxRuntime> {
  try {
    return await import('onnxruntime-node');
  } catch (cause) {
    throw new EnvironmentError(
      'runtime.unavailable',
      `ONNX Runtime, which does the training, could not be loaded on this machine (${process.platform} ${process.arch}). Run "npm install" again; Intel Macs are not supported by it.`,
      { cause, data: { platform: process.platform, architecture: process.arch } },
    );
  }
}

/** The file a child process can `require` to get the same package. */
export function onnxRuntimePath(): string {
  return createRequire(import.meta.url).resolve(PACKAGE);
}
