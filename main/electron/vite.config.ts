/** How is the Electron program built? Main process and workers as modules, the preload script as CommonJS (the sandbox demands it). */
import { fileURLToPath } from 'node:url';
import { build, defineConfig, type Plugin } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const NODE_TARGET = 'node24';

const WORKERS = ['train', 'index', 'search', 'inspect', 'mine', 'phrase-training', 'calibrate', 'backbone', 'share', 'experiment'] as const;

/** Builds preload.ts after the rest, into the same folder. */
function preload(): Plugin {
  let outDir = '';
  return {
    name: 'isogloss-preload',
    configResolved: (config) => {
      outDir = config.build.outDir;
    },
    closeBundle: async () => {
      await build({
        configFile: false,
        logLevel: 'warn',
        build: {
          outDir,
          emptyOutDir: false,
          target: NODE_TARGET,
          minify: false,
          lib: { entry: here('./preload.ts'), formats: ['cjs'], fileName: () => 'preload.cjs' },
          rollupOptions: { external: ['electron'] },
        },
      });
    },
  };
}

export default defineConfig({
  root: here('.'),
  publicDir: false,
  plugins: [preload()],
  ssr: { external: ['electron'] },
  build: {
    ssr: true,
    outDir: here('../../build/main'),
    emptyOutDir: true,
    target: NODE_TARGET,
    minify: false,
    reportCompressedSize: false,
    rollupOptions: {
      input: { electron: here('./main.ts'), 'workers/parser-process': here('../../core/documents/parser-process.ts'), 'workers/dense-thread': here('../../core/retrieval/dense-thread.ts'), ...Object.fromEntries(WORKERS.map((name) => [`workers/${name}`, here(`../workers/${name}.ts`)])) },
      external: ['electron'],
      output: { entryFileNames: '[name].mjs', chunkFileNames: 'parts/[name]-[hash].mjs' },
    },
  },
});
