/** How are measured programs spoken to? One JSON object per line in, one per line out; each measures its own time, processor time and memory. */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { EnvironmentError } from '../../core/base/errors.ts';

const answerSchema = z.object({ wallMs: z.number(), cpuMs: z.number(), peakMB: z.number(), loss: z.number() });
export type PeerAnswer = z.infer<typeof answerSchema>;

export type Peer = { readonly ask: (task: object) => Promise<PeerAnswer>; readonly close: () => Promise<void> };

/** Debian's interpreter, for which its packages are built; another python3 would not find them. */
const PYTHON = '/usr/bin/python3';
const PACKAGES = ['python3-torch', 'libopenblas0-openmp'];

/** The PyTorch program, installed first where it is missing. */
export function openTorchPeer(threads: number): Peer {
  return openPeer(PYTHON, [path('./torch-peer.py')], { OMP_WAIT_POLICY: 'PASSIVE', OMP_NUM_THREADS: String(threads) });
}

/** A program of this folder that uses `answerLines`. */
export function openOwnPeer(script: string): Peer {
  return openPeer(process.execPath, ['--disable-warning=ExperimentalWarning', path(script)], {});
}

/**
 * Debian's PyTorch with a fast BLAS (the default one runs at 6 GFLOP/s). Both are installed when either is missing.
 * @throws EnvironmentError 'bench.no-torch' where apt-get is not there, or may not install.
 */
export function ensureTorch(say: (line: string) => void): void {
  if (hasTorch()) return;
  say(`Installing ${PACKAGES.join(' and ')} ...`);
  const run = (words: readonly string[]): boolean => spawnSync('apt-get', words, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;
  const done = run(['install', '-y', '--no-install-recommends', ...PACKAGES]) || (run(['update']) && run(['install', '-y', '--no-install-recommends', ...PACKAGES]));
  if (!done || !hasTorch()) {
    throw new EnvironmentError('bench.no-torch', `This benchmark compares with PyTorch of Debian: expected the packages ${PACKAGES.join(' and ')}, and apt-get could not install them here. On Debian or Ubuntu run, as root, "apt-get install ${PACKAGES.join(' ')}".`);
  }
}

/** A PyTorch that sees a card, in the python3 of the path (Debian's has no CUDA). @returns null where there is none. */
export function openTorchCardPeer(): Peer | null {
  const sees = spawnSync('python3', ['-c', 'import torch, sys; sys.exit(0 if torch.cuda.is_available() else 1)'], { stdio: 'ignore' }).status === 0;
  return sees ? openPeer('python3', [path('./torch-peer.py')], {}) : null;
}

function hasTorch(): boolean {
  const openBlas = spawnSync('dpkg', ['-s', 'libopenblas0-openmp'], { stdio: 'ignore' }).status === 0;
  return openBlas && spawnSync(PYTHON, ['-c', 'import torch'], { stdio: 'ignore' }).status === 0;
}

function openPeer(program: string, words: readonly string[], environment: Readonly<Record<string, string>>): Peer {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...environment } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('error', () => child.stdout.destroy());
  return {
    ask: async (task) => {
      child.stdin.write(`${JSON.stringify(task)}\n`);
      const { value, done } = await lines.next();
      if (done === true || typeof value !== 'string') throw new EnvironmentError('bench.child-failed', `A measured process (${words.at(-1) ?? program}) ended before it answered; what it said stands above.`);
      return answerSchema.parse(JSON.parse(value));
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
