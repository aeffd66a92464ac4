/** Which processes does a program consist of, and how much memory do they hold? Read from /proc, so Linux only. */
import { readdir, readFile } from 'node:fs/promises';
import { EnvironmentError } from '../../core/base/errors.ts';

export type ProcessFacts = { readonly id: number; readonly parent: number; readonly name: string; readonly residentMB: number };

const KILOBYTES_PER_MB = 1024;

/** A process and everything it started, ancestors first. @throws EnvironmentError 'bench.linux-only'. */
export async function processTree(rootId: number): Promise<readonly ProcessFacts[]> {
  if (process.platform !== 'linux') throw new EnvironmentError('bench.linux-only', 'Memory of processes is read from /proc, which only Linux has.');
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(ids.map(readProcess))).filter((facts) => facts !== null);
  const tree = all.filter(({ id }) => id === rootId);
  for (let i = 0; i < tree.length; i += 1) tree.push(...all.filter(({ parent }) => parent === tree[i]?.id));
  return tree;
}

/** null: it ended while we looked. */
async function readProcess(id: string): Promise<ProcessFacts | null> {
  const [status, commandLine] = await Promise.all([readFile(`/proc/${id}/status`, 'utf8').catch(() => ''), readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')]); // gone: both empty
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  if (status === '') return null;
  return { id: Number(id), parent: field('PPid'), name: nameOf(commandLine.split('\0')), residentMB: field('VmRSS') / KILOBYTES_PER_MB };
}

/** The script that a process runs, or its program. */
function nameOf(words: readonly string[]): string {
  const script = words.slice(1).find((word) => /\.(ts|mjs|js)$/.test(word)) ?? words[0] ?? '';
  return script.split('/').slice(-2).join('/');
}
