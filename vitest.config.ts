/** Which tests run where: unit tests stand beside their sources; everything end-to-end is in test/. */
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';
import { softwareVulkan } from './test/software-vulkan.ts';

const UNIT_TIMEOUT_MS = 120_000; // a guard against hangs, never an assertion about speed

Object.assign(process.env, softwareVulkan()); // for the processes that run the tests

export default defineConfig({
  plugins: [vue()],
  test: {
    include: ['core/**/*.test.ts', 'main/**/*.test.ts', 'renderer/**/*.test.ts', 'test/architecture/**/*.test.ts', 'test/bench/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: UNIT_TIMEOUT_MS,
    hookTimeout: UNIT_TIMEOUT_MS,
  },
});
