/** How do the end-to-end tests run? Two at a time, for each waits more than it works, with a program, a browser and a folder of its own; alone, where the window's speed is measured. */
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const HANG_GUARD_MS = 300_000; // against hangs, never an assertion about speed
const MEASURED = ['sample-project', 'window'].map((name) => `test/end-to-end/${name}.test.ts`);

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    pool: 'forks',
    testTimeout: HANG_GUARD_MS,
    hookTimeout: HANG_GUARD_MS,
    projects: [
      { extends: true, test: { name: 'paths', include: ['test/end-to-end/**/*.test.ts'], exclude: [...configDefaults.exclude, ...MEASURED], maxWorkers: 2, sequence: { groupOrder: 0 } } },
      { extends: true, test: { name: 'measured', include: MEASURED, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
