/** Does the list of benchmarks agree with what the README says, and is an unknown name refused? */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BENCHMARKS } from './benchmarks.ts';

const names = Object.keys(BENCHMARKS);

function runBench(...words: string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', `${import.meta.dirname}/bench.ts`, ...words], { encoding: 'utf8' });
}

describe('benchmarks', () => {
  it('are named in the README, all of them and no others', () => {
    const readme = readFileSync(`${import.meta.dirname}/README.md`, 'utf8');
    const told = [...readme.matchAll(/^- `([\w-]+)`/gm)].map(([, name]) => name);
    expect(told.toSorted()).toEqual(names.toSorted());
    expect(names).toContain('search20k');
  });

  it.each(names)('%s says what it measures and how it is run', async (name) => {
    const benchmark = await BENCHMARKS[name]?.();
    expect(benchmark?.summary).toMatch(/^[A-Z].*\.$/);
    for (const option of Object.keys(benchmark?.options ?? {})) expect(benchmark?.usage).toContain(`--${option}`);
    expect(benchmark?.usage).toContain('--json');
  });

  it('of an unknown name, or of none, are refused with the list of names', () => {
    for (const words of [['searches'], ['toString'], []]) {
      const { status, stdout, stderr } = runBench(...words);
      expect(status).toBe(2);
      expect(stdout).toBe('');
      for (const name of names) expect(stderr).toContain(name);
    }
  });

  it('refuse options they do not know', () => {
    const { status, stderr } = runBench('kernels', '--pears', '9');
    expect(status).toBe(2);
    expect(stderr).toContain('--pairs');
  });
});
