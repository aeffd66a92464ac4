/**
 * Does WebGPU work here, and how fast is it? Asked in a child process, because a faulty driver ends the process that asks.
 * The child's program is a text and not a file: so it is found wherever this module is bundled to.
 */
import { execFile } from 'node:child_process';
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { onnxRuntimePath } from './onnx-runtime.ts';

/** What the probe found; `detail` is for the log, not for the user. */
export type WebGpuProbe =
  | { readonly status: 'works'; readonly webgpuMs: number; readonly cpuMs: number }
  | { readonly status: 'wrong-results'; readonly detail: string }
  | { readonly status: 'absent'; readonly detail: string };

/** A product as large as the scores and gradients of a training step: [PROBE_ROWS, PROBE_WIDTH] x its transpose. */
const PROBE_ROWS = 512;
const PROBE_WIDTH = 1024;
const PROBE_RUNS = 5;
/** No further run is begun after this time on one device: a software driver is slow, and known to be slow after one. */
const PROBE_DEVICE_MS = 500;
const PROBE_TIMEOUT_MS = 60_000;
/** Relative to the largest element; float32 sums over 1024 products in another order differ by about 1e-6. */
const TOLERANCE = 1e-4;

const CHILD_PROGRAM = `
const { runtime, model, rows, width, runs, deviceMs, threads } = JSON.parse(process.argv.at(-1));
const ort = require(runtime);
async function measure(device) {
  const session = await ort.InferenceSession.create(Buffer.from(model, 'base64'), { executionProviders: [device], intraOpNumThreads: threads, graphOptimizationLevel: 'basic', logSeverityLevel: 4 });
  const data = Float32Array.from({ length: rows * width }, (_, i) => Math.sin(i));
  const begun = performance.now();
  let best = Infinity, output;
  for (let i = 0; i <= runs && (i < 2 || performance.now() - begun < deviceMs); i += 1) {
    const start = performance.now();
    output = (await session.run({ x: new ort.Tensor('float32', data, [rows, width]) })).y.data;
    if (i > 0) best = Math.min(best, performance.now() - start);
  }
  return { ms: best, output };
}
(async () => {
  const cpu = await measure('cpu');
  const webgpu = await measure('webgpu');
  let largest = 0, difference = 0;
  cpu.output.forEach((value, i) => { largest = Math.max(largest, Math.abs(value)); difference = Math.max(difference, Math.abs(value - webgpu.output[i])); });
  process.stdout.write(JSON.stringify({ cpuMs: cpu.ms, webgpuMs: webgpu.ms, difference: difference / largest }) + '\\n', () => process.exit(0));
})().catch((error) => { process.stderr.write(String(error && error.message) + '\\n', () => process.exit(1)); });
`;

/** Runs the probe; never throws for what it finds. */
export function probeWebGpu(options: { readonly threads: number; readonly signal?: AbortSignal }): Promise<WebGpuProbe> {
  const g = createGraphBuilder('webgpu-probe');
  const x = g.input('x', 'float32', ['N', PROBE_WIDTH]);
  const model = encodeModel(g.build({ y: g.matMul(x, g.transpose(x, [1, 0])) })); // [N, N]
  const request = { runtime: onnxRuntimePath(), model: Buffer.from(model).toString('base64'), rows: PROBE_ROWS, width: PROBE_WIDTH, runs: PROBE_RUNS, deviceMs: PROBE_DEVICE_MS, threads: options.threads };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--input-type=commonjs', '--eval', CHILD_PROGRAM, '--', JSON.stringify(request)],
      {
        timeout: PROBE_TIMEOUT_MS,
        killSignal: 'SIGKILL',
        env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
        windowsHide: true,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (error, stdout, stderr) => {
        const found = parseAnswer(stdout);
        if (found === null) resolve({ status: 'absent', detail: [error?.signal ?? error?.code ?? '', stderr.trim().split('\n').at(-1) ?? ''].join(' ').trim() });
        else if (found.difference <= TOLERANCE) resolve({ status: 'works', webgpuMs: found.webgpuMs, cpuMs: found.cpuMs });
        else resolve({ status: 'wrong-results', detail: `relative difference ${found.difference}` });
      },
    );
  });
}

type Answer = { readonly cpuMs: number; readonly webgpuMs: number; readonly difference: number };

function parseAnswer(stdout: string): Answer | null {
  const line = stdout.split('\n').find((text) => text.startsWith('{') && text.endsWith('}'));
  if (line === undefined) return null;
  const answer: unknown = JSON.parse(line);
  if (typeof answer !== 'object' || answer === null || !('cpuMs' in answer) || !('webgpuMs' in answer) || !('difference' in answer)) return null;
  const { cpuMs, webgpuMs, difference } = answer;
  // NaN, which a broken driver gives, becomes null in JSON: it counts as wrong results.
  return typeof cpuMs === 'number' && typeof webgpuMs === 'number' ? { cpuMs, webgpuMs, difference: typeof difference === 'number' ? difference : Infinity } : null;
}
