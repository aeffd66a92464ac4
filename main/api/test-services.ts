/** How do tests stand behind the door? The program's services with real workers and the sample's files, everything it keeps below one folder. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRouterClient } from '@orpc/server';
import { errorRecordFrom, type IsoglossClient } from '../contract/index.ts';
import { nodeProcesses } from '../workers/process.ts';
import { createServices, type ApplicationOptions, type Services } from './application.ts';
import { createRouter } from './router.ts';

/** A path of this repository. */
export const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** @param home  a folder of the test's own; @param changes  what this test needs otherwise. */
export function createTestServices(home: string, changes: Partial<ApplicationOptions> = {}): Promise<Services> {
  return createServices({
    mode: 'served',
    version: '1.2.3',
    startProcess: nodeProcesses((name) => inRepository(`main/workers/${name}.ts`)),
    folders: { data: join(home, 'data'), projects: join(home, 'projects') },
    home,
    sampleFolder: inRepository('core/sample'),
    starterFolder: inRepository('core/training/starter'),
    systemLanguage: 'en',
    onFault: () => undefined,
    ...changes,
  });
}

/** The same calls without a socket between. */
export function clientWithoutSocket(services: Services): IsoglossClient {
  return createRouterClient(createRouter(services)) as unknown as IsoglossClient;
}

/** The code of what a call threw; 'none' when it went well. */
export function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(() => 'none', (thrown: unknown) => errorRecordFrom(thrown).code);
}
