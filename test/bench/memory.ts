/** How much memory does the application hold when nobody uses it? Resident memory of every process of `npm start -- --served`. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from '../../main/cli/command.ts';
import { processTree, type ProcessFacts } from './process-tree.ts';
import { startServed } from './served-program.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const LOOK_EVERY_MS = 1000;
/** Idle: over this many looks memory stays within the tolerance. */
const STEADY_LOOKS = 5;
const TOLERANCE = 0.02;
const MOST_LOOKS = 60;

export const memoryBenchmark: Command = {
  summary: 'Resident memory of the idle application, served (Linux only).',
  usage: '[--json]',
  options: {},
  run: async (_, { signal, say }) =>
    inTemporaryFolder(async (folder) => {
      await processTree(process.pid); // refuses other systems before anything is started
      const program = await startServed(folder);
      try {
        await fetch(new URL('/', program.link));
        say('started; waiting until memory is steady ...');
        const tree = await whenSteady(program.processId, signal);
        const processes = tree.map(({ name, residentMB }) => ({ name, MB: Math.round(residentMB) }));
        const json = { idleMB: Math.round(sum(tree)), processes };
        return { json, text: `Idle, served: ${json.idleMB} MB (${processes.map(({ name, MB }) => `${name} ${MB}`).join(', ')}).` };
      } finally {
        await program.stop();
      }
    }),
};

const sum = (tree: readonly ProcessFacts[]): number => tree.reduce((total, { residentMB }) => total + residentMB, 0);

async function whenSteady(processId: number, signal: AbortSignal): Promise<readonly ProcessFacts[]> {
  const totals: number[] = [];
  for (;;) {
    await wait(LOOK_EVERY_MS, undefined, { signal });
    const tree = await processTree(processId);
    totals.push(sum(tree));
    const recent = totals.slice(-STEADY_LOOKS);
    const isSteady = recent.length === STEADY_LOOKS && Math.max(...recent) - Math.min(...recent) < TOLERANCE * Math.max(...recent);
    if (isSteady || totals.length === MOST_LOOKS) return tree;
  }
}
