/** How is the served application started for a measurement? As a person does it, by `npm start`, with an empty home. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EnvironmentError } from '../../core/base/errors.ts';
import { processTree } from './process-tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STOP_PATIENCE_MS = 10_000;

export type ServedProgram = {
  readonly link: string;
  readonly processId: number;
  /** Milliseconds from spawn to the link. */
  readonly linkMs: number;
  readonly stop: () => Promise<void>;
};

/** @param home where the program keeps its own files. @throws EnvironmentError 'bench.no-start'. */
export async function startServed(home: string): Promise<ServedProgram> {
  const start = performance.now();
  const child = spawn('npm', ['start', '--silent', '--', '--served', '--no-open', '--port', '0'], { cwd: ROOT, env: { ...process.env, ISOGLOSS_HOME: join(home, 'isogloss') }, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const link = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('\n')) resolve(output.trim());
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new EnvironmentError('bench.no-start', `The program ended with ${String(code)} before it printed its link.`)));
  });
  const linkMs = performance.now() - start;
  const processId = child.pid ?? 0;
  return {
    link,
    processId,
    linkMs,
    stop: async () => {
      // npm waits for the program it runs; the program ends in order when it is asked itself.
      const own = process.platform === 'linux' ? await processTree(processId) : [];
      const innermost = own.at(-1)?.id ?? processId;
      process.kill(innermost, 'SIGTERM');
      const impatience = setTimeout(() => {
        for (const { id } of own) {
          try {
            process.kill(id, 'SIGKILL');
          } catch {
            // it has ended by itself
          }
        }
        child.kill('SIGKILL');
      }, STOP_PATIENCE_MS);
      await closed;
      clearTimeout(impatience);
    },
  };
}
