/** What does somebody need to know who wants to help? Versions, machine, counts and last errors; no text, no name, no path. */
import { freemem, release } from 'node:os';
import type { AppInfo, Job, LogEntry } from '../contract/index.ts';

const BYTES_PER_MB = 1024 * 1024;
const ERRORS_SHOWN = 20;

export type DiagnosticFacts = {
  readonly info: AppInfo;
  /** Versions by name: electron, chrome, node, v8, onnxruntime-node, lancedb. */
  readonly versions: Readonly<Record<string, string | undefined>>;
  readonly processor: string;
  readonly architecture: string;
  /** What ONNX Runtime says it can calculate on, or why that is not known. */
  readonly devices: readonly string[];
  readonly projects: number;
  readonly jobs: readonly Job[];
  readonly log: readonly LogEntry[];
  readonly now: number;
};

/** One line a fact, `name: value`, in English, because it is read by whoever helps. */
export function diagnosticText(facts: DiagnosticFacts): string {
  const { info, jobs } = facts;
  const versions = Object.entries(facts.versions).filter(([, version]) => version !== undefined).map(([name, version]) => `${name} ${String(version)}`);
  const counted = new Map<string, number>();
  for (const { request, state } of jobs) {
    const key = `${request.kind} ${state.status}${state.status === 'failed' ? ` (${state.error.code})` : ''}`;
    counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  const errors = facts.log.filter(({ level }) => level !== 'info').slice(-ERRORS_SHOWN);
  return [
    `${info.name} ${info.version} (${info.mode})`,
    `time: ${new Date(facts.now).toISOString()}`,
    `versions: ${versions.join(', ')}`,
    `system: ${info.platform} ${release()} ${facts.architecture}, ${info.systemLanguage}`,
    `processor: ${facts.processor}, ${String(info.cores)} threads, ${String(info.threads)} used`,
    `memory: ${String(info.memoryMB)} MB, ${String(Math.round(freemem() / BYTES_PER_MB))} MB free`,
    `calculates on: ${facts.devices.join(', ')}`,
    `sample: ${yesOrNo(info.hasSample)}, starter: ${yesOrNo(info.hasStarter)}`,
    `projects: ${String(facts.projects)}`,
    `jobs: ${[...counted].map(([key, count]) => `${key}: ${String(count)}`).join(', ') || 'none'}`,
    'last warnings and errors:',
    ...(errors.length === 0 ? ['  none'] : errors.map(({ at, level, code, message }) => `  ${new Date(at).toISOString()} ${level} ${code}${message === '' ? '' : ` ${message}`}`)),
    '',
  ].join('\n');
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
