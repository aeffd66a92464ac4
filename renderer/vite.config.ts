/** How is the window built? Into build/renderer, with nothing inline, so that a strict content security policy holds. */
import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';
import { fonts } from './fonts.config.ts';
import { licences } from './licences.config.ts';
import { FONT_FACES } from './styles/font-faces.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const outDir = fileURLToPath(new URL('../build/renderer', import.meta.url));

export default defineConfig({
  root,
  base: './',
  plugins: [vue(), fonts(), licences(FONT_FACES.map((face) => face.package))],
  define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false', __VUE_I18N_LEGACY_API__: 'false', __VUE_I18N_FULL_INSTALL__: 'false' },
  build: {
    outDir,
    emptyOutDir: true,
    target: ['chrome130', 'firefox130', 'safari18'],
    /** Nothing becomes a data: address: fonts may only come from our own origin. */
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    /** What every page needs comes in two files; a view's own comes when it is opened. */
    rollupOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'packages', test: /node_modules[\\/](?!uplot|@tanstack)/, priority: 2 },
            { name: 'shared', test: /renderer[\\/](?:components|composables|stores|locales[\\/][\w-]+\.(?:ts$|en\.json)|locales[\\/]en\.json)/, minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
});
