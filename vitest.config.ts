/** Which tests run where: unit tests stand beside their sources; everything end-to-end is in test/. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { configDefaults, defineConfig } from 'vitest/config';
import { softwareVulkan } from './test/software-vulkan.ts';

const UNIT_TIMEOUT_MS = 120_000; // a guard against hangs, never an assertion about speed
const root = fileURLToPath(new URL('.', import.meta.url));
const tests = ['core/**/*.test.ts', 'main/**/*.test.ts', 'renderer/**/*.test.ts', 'test/architecture/**/*.test.ts', 'test/bench/**/*.test.ts'];

/**
 * A test that changes or measures the process it runs in has one of its own; all others follow one another in two processes, which
 * load the program once and not two hundred times (a third of the time of the whole). Devices: their drivers stay where they were once started.
 */
const CHANGES_ITS_PROCESS = /\bvi\.(mock|doMock|stub|spyOn|useFake)|process\.env\b.* = |delete process\.env\b|memoryUsage|resourceUsage|process\.(on|once|chdir|umask)\(/;
const DRIVES_A_DEVICE = /software-vulkan|webgpu/i;
const apart = tests
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => [CHANGES_ITS_PROCESS, DRIVES_A_DEVICE].some((sign) => sign.test(readFileSync(join(root, path), 'utf8'))));

Object.assign(process.env, softwareVulkan()); // for the processes that run the tests

export default defineConfig({
  plugins: [vue()],
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: UNIT_TIMEOUT_MS,
    hookTimeout: UNIT_TIMEOUT_MS,
    projects: [
      { extends: true, test: { name: 'apart', include: apart } },
      { extends: true, test: { name: 'together', include: tests, exclude: [...configDefaults.exclude, ...apart], isolate: false } },
    ],
  },
});
