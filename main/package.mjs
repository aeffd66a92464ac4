/** `npm run package`, `npm run make`: builds the application for this machine, or says why it cannot. Plain JavaScript for Node >= 20. */
import { join } from 'node:path';
import { fetchedElectron } from './electron-program.mjs';
import { ELECTRON_BUILD, ensureBuilt, ensureInstalled, nodePath, RENDERER, root, run, say } from './setup.mjs';

const WAYS = ['package', 'make'];

async function main([way = 'package']) {
  if (!WAYS.includes(way)) throw new Error(`Expected one of ${WAYS.join(', ')}, found "${way}".`);
  await ensureInstalled();
  await ensureBuilt(RENDERER);
  await ensureBuilt(ELECTRON_BUILD);
  if ((await fetchedElectron()) === null) {
    throw new Error('The application was built but not packaged: Electron\'s program could not be fetched (it needs a network connection once). Connect and run the same command again; "npm start" works without it, in the browser.');
  }
  const code = await run(nodePath(), [join(root, 'node_modules', '@electron-forge', 'cli', 'dist', 'electron-forge.js'), way]);
  if (code !== 0) throw new Error('Packaging failed; what Electron Forge said stands above.');
  say('The application is in build/forge.');
}

main(process.argv.slice(2)).catch((error) => {
  say(error.message);
  process.exitCode = 1;
});
