/**
 * Does a device work here, and how fast is it? Asked in a child process, because a faulty driver ends the process that asks.
 * The child's program is a text and not a file: so it is found wherever this module is bundled to.
 */
import { spawn } from 'node:child_process';
import { encodeModel } from '../graph/protobuf/encode.ts';
import type { Device } from './device.ts';
import { modelFor } from './device-session.ts';
import { onnxRuntimePath } from './onnx-runtime.ts';
import { PROBE_SIZES, probeStep } from './probe-step.ts';

/** What the probe found: milliseconds of one short step on the device and on the CPU; `detail` is for the log, not for the user. */
export type DeviceProbe =
  | { readonly status: 'works'; readonly deviceMs: number; readonly cpuMs: number }
  | { readonly status: 'wrong-results'; readonly detail: string }
  | { readonly status: 'absent'; readonly detail: string };

const PROBE_RUNS = 5;
/** No further run is begun after this time on one device: a software driver is slow, and known to be slow after one. */
const PROBE_DEVICE_MS = 500;
/** A card needs a few milliseconds for the smallest step; what needs more is a driver in software, and larger steps would take seconds. */
const SLOW_MS = 20;
const PROBE_TIMEOUT_MS = 60_000;
/** Relative to the largest element; float32 sums in another order differ by about 1e-6. */
const TOLERANCE = 1e-4;
const STDERR_KEPT_CHARACTERS = 4000;

const CHILD_PROGRAM = `
let text = '';
process.stdin.on('data', (chunk) => { text += chunk; });
process.stdin.on('end', () => probe(JSON.parse(text)).catch((error) => process.stdout.write(JSON.stringify({ failure: String(error && error.message) }) + '\\n')));
async function probe({ runtime, device, models, sizes, runs, deviceMs, slowMs, threads }) {
  const ort = require(runtime);
  const open = (name, model) => ort.InferenceSession.create(Buffer.from(model, 'base64'), { executionProviders: [name], intraOpNumThreads: threads, graphOptimizationLevel: 'basic', enableMemPattern: false, logSeverityLevel: 4 });
  async function measure(session, size) {
    const feeds = {};
    session.inputMetadata.forEach(({ name, shape }, n) => {
      const dims = shape.map((symbol) => size[symbol]);
      const length = dims.reduce((a, b) => a * b, 1);
      feeds[name] = new ort.Tensor('float32', Float32Array.from({ length }, (_, i) => Math.sin(i * (n + 1)) / Math.sqrt(dims[dims.length - 1])), dims);
    });
    const begun = performance.now();
    let best = Infinity, output;
    for (let i = 0; i <= runs && (i < 2 || performance.now() - begun < deviceMs); i += 1) {
      const start = performance.now();
      output = await session.run(feeds);
      if (i > 0) best = Math.min(best, performance.now() - start);
    }
    return { ms: best, output };
  }
  const cpuSession = await open('cpu', models.cpu);
  const ownSession = device === 'cpu' ? cpuSession : await open(device, models.device);
  let cpu, own;
  for (const size of sizes) {
    cpu = await measure(cpuSession, size);
    own = await measure(ownSession, size);
    if (own.ms > slowMs && own.ms > cpu.ms) break;
  }
  let difference = 0;
  for (const [name, { data }] of Object.entries(cpu.output)) {
    let largest = 0, apart = 0;
    data.forEach((value, i) => { largest = Math.max(largest, Math.abs(value)); apart = Math.max(apart, Math.abs(value - own.output[name].data[i])); });
    difference = Math.max(difference, apart / largest);
    if (Number.isNaN(apart)) difference = NaN;
  }
  process.stdout.write(JSON.stringify({ cpuMs: cpu.ms, deviceMs: own.ms, difference }) + '\\n');
}
`;

/** Runs the probe; never throws for what it finds. */
export function probeDevice(device: Device, options: { readonly threads: number; readonly signal?: AbortSignal }): Promise<DeviceProbe> {
  const graph = probeStep();
  const base64 = (model: Uint8Array): string => Buffer.from(model).toString('base64');
  const request = { runtime: onnxRuntimePath(), device, models: { cpu: base64(encodeModel(graph)), device: base64(modelFor(graph, device)) }, sizes: PROBE_SIZES, runs: PROBE_RUNS, deviceMs: PROBE_DEVICE_MS, slowMs: SLOW_MS, threads: options.threads };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--input-type=commonjs', '--eval', CHILD_PROGRAM], { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' }, windowsHide: true, stdio: 'pipe' });
    let [stdout, stderr] = ['', ''];
    // Once the answer is there the child is ended by force: a driver without a card can hang when its process ends by itself.
    const end = (): void => void child.kill('SIGKILL');
    const timer = setTimeout(end, PROBE_TIMEOUT_MS);
    options.signal?.addEventListener('abort', end, { once: true });
    if (options.signal?.aborted === true) end();
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      if (answerLine(stdout) !== undefined) end();
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-STDERR_KEPT_CHARACTERS);
    });
    child.stdin.on('error', () => undefined); // a child that ended early says so by its end
    const settle = (how: string): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', end);
      resolve(verdict(answerLine(stdout), `${how} ${stderr.trim().split('\n').at(-1) ?? ''}`.trim()));
    };
    child.on('error', (error) => settle(error.message));
    child.on('close', (code, signal) => settle(String(signal ?? code)));
    child.stdin.end(JSON.stringify(request));
  });
}

function answerLine(stdout: string): string | undefined {
  return stdout.split('\n').slice(0, -1).find((text) => text.startsWith('{') && text.endsWith('}'));
}

function verdict(line: string | undefined, end: string): DeviceProbe {
  const answer: unknown = line === undefined ? null : JSON.parse(line);
  if (typeof answer !== 'object' || answer === null) return { status: 'absent', detail: end };
  if ('failure' in answer) return { status: 'absent', detail: String(answer.failure) };
  if (!('cpuMs' in answer) || !('deviceMs' in answer) || !('difference' in answer)) return { status: 'absent', detail: end };
  const { cpuMs, deviceMs, difference } = answer;
  if (typeof cpuMs !== 'number' || typeof deviceMs !== 'number') return { status: 'absent', detail: end };
  // NaN, which a broken driver gives, becomes null in JSON: it counts as wrong results.
  if (typeof difference !== 'number' || difference > TOLERANCE) return { status: 'wrong-results', detail: `relative difference ${String(difference)}` };
  return { status: 'works', deviceMs, cpuMs };
}
