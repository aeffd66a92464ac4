/** Which benchmarks are there? To add one: a file with a `Command`, a row here, a line in the README. */
import type { Command } from '../../main/cli/command.ts';

/** Each is loaded when it is asked for, so that none pays for another's memory. */
export const BENCHMARKS: Readonly<Record<string, () => Promise<Command>>> = {
  kernels: async () => (await import('./kernels.ts')).kernelsBenchmark,
  training: async () => (await import('./training.ts')).trainingBenchmark,
  gpu: async () => (await import('./gpu.ts')).gpuBenchmark,
  search: async () => (await import('./search.ts')).millionBenchmark,
  search20k: async () => (await import('./search-20k.ts')).searchBenchmark,
  memory: async () => (await import('./memory.ts')).memoryBenchmark,
  bundle: async () => (await import('./bundle.ts')).bundleBenchmark,
  startup: async () => (await import('./startup.ts')).startupBenchmark,
  ingest: async () => (await import('./ingest.ts')).ingestBenchmark,
  kills: async () => (await import('./kills.ts')).killsBenchmark,
  inspect: async () => (await import('./inspect.ts')).inspectBenchmark,
};
