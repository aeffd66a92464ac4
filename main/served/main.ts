/** Entry point of the served application: `node main/served/main.ts [--port N] [--no-open]`. Prints the link, serves until stopped. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RPCHandler } from '@orpc/server/ws';
import { createServices } from '../api/application.ts';
import { createRouter } from '../api/router.ts';
import { stopper } from '../stopper.ts';
import { userFolders } from '../project/user-folder.ts';
import { nodeProcesses } from '../workers/process.ts';
import { openBrowser } from './open-browser.ts';
import { listPages } from './pages.ts';
import { serve } from './server.ts';

const PORT_MAXIMUM = 65_535;
const BAD_INPUT = 2;
const CANCELLED = 130;

const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, 'no-open': { type: 'boolean', default: false } } });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAXIMUM) throw new TypeError(`--port: expected a number from 0 (any free one) to ${String(PORT_MAXIMUM)}, found "${values.port}".`);
  const packageJson: unknown = JSON.parse(await readFile(inRepository('package.json'), 'utf8'));
  const services = await createServices({
    mode: 'served',
    version: typeof packageJson === 'object' && packageJson !== null && 'version' in packageJson ? String(packageJson.version) : '0',
    startProcess: nodeProcesses((name) => inRepository(`main/workers/${name}.ts`)),
    folders: userFolders({ environment: process.env, platform: process.platform, home: homedir() }),
    home: homedir(),
    paths: 'chosen',
    sampleFolder: inRepository('core/sample'),
    starterFolder: inRepository('core/training/starter'),
    systemLanguage: Intl.DateTimeFormat().resolvedOptions().locale,
    onFault: (error) => process.stderr.write(`${error.stack ?? error.message}\n`),
  });
  const handler = new RPCHandler(createRouter(services));
  const served = await serve({
    port,
    pages: await listPages(inRepository('build/renderer')),
    connect: (socket) => void handler.upgrade(socket),
  });
  stopOnSignal(async () => {
    await served.close();
    await services.close();
  });
  process.stdout.write(`${served.newLink()}\n`);
  if (!values['no-open'] && !(await openBrowser(served.newLink()))) process.stderr.write('Open the link above in a browser.\n');
}

/** The first signal ends in order, a later one at once. */
function stopOnSignal(close: () => Promise<void>): void {
  let code = 0;
  const stop = stopper({ first: () => void close().finally(() => process.exit(code)), again: () => process.exit(CANCELLED) });
  process.on('SIGINT', () => {
    code = CANCELLED;
    stop();
  });
  process.on('SIGTERM', stop);
  process.on('disconnect', stop); // whoever started us is gone
}

main().catch((thrown: unknown) => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const isInUse = 'code' in error && error.code === 'EADDRINUSE';
  process.stderr.write(`${isInUse ? 'This port is in use. Leave --port out, or choose another number.' : error.message}\n`);
  process.exitCode = BAD_INPUT;
});
