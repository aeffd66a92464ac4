/** Does the main process stay free of native libraries? Only worker processes load ONNX Runtime and LanceDB: what crashes there crashes alone. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const sharedObjectsAfter = (module: string): string[] => {
  const script = `await import(${JSON.stringify(new URL(`../../${module}`, import.meta.url).href)}); console.log(JSON.stringify(process.report.getReport().sharedObjects))`;
  return JSON.parse(execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' })) as string[]; // boundary: the line printed above
};
const native = (paths: readonly string[]): string[] => paths.filter((path) => /onnxruntime|lancedb|\.node$/.test(path));

describe('the main process', () => {
  it('loads no native library with everything that answers the window; a worker does', () => {
    expect(native(sharedObjectsAfter('main/api/router.ts'))).toEqual([]);
    expect(native(sharedObjectsAfter('core/runtime/session.ts')).length + native(sharedObjectsAfter('core/retrieval/store/lance-store.ts')).length).toBeGreaterThan(0); // else the check above says nothing
  });
});
