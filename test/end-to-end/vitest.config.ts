/** How do the end-to-end tests run? One after another: each has a program, a browser and a folder of its own. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const HANG_GUARD_MS = 300_000; // against hangs, never an assertion about speed

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/end-to-end/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: HANG_GUARD_MS,
    hookTimeout: HANG_GUARD_MS,
  },
});
