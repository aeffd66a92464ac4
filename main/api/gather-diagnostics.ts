/** Where do the facts of "copy diagnostics" come from? Packages, system, registry of jobs, log. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { diagnosticText } from './diagnostics.ts';
import type { Services } from './application.ts';

const LOG_READ = 500;
const NATIVE_PACKAGES = ['onnxruntime-node', '@lancedb/lancedb'];

export async function gatherDiagnostics(services: Services): Promise<string> {
  const { info, options, jobs, recent, log, now } = services;
  return diagnosticText({
    info,
    versions: { node: process.versions.node, v8: process.versions.v8, ...nativeVersions(), ...options.versions },
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    architecture: arch(),
    devices: await devices(services),
    projects: (await recent.list()).length,
    jobs: jobs.list(null),
    log: await log.read(LOG_READ),
    now: now(),
  });
}

/** Asked of a worker: loading ONNX Runtime has no place in the program's own process. */
async function devices({ inspector }: Services): Promise<readonly string[]> {
  try {
    return (await inspector.ask('devices', {})).devices;
  } catch (thrown) {
    return [`unknown (${thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'no answer'})`];
  }
}

function nativeVersions(): Record<string, string> {
  const { resolve } = createRequire(import.meta.url);
  const found: Record<string, string> = {};
  for (const name of NATIVE_PACKAGES) {
    try {
      const card: unknown = JSON.parse(readFileSync(join(dirname(resolve(name)), '..', 'package.json'), 'utf8'));
      if (typeof card === 'object' && card !== null && 'version' in card) found[name] = String(card.version);
    } catch {
      found[name] = 'not found'; // a broken installation is what this text is for
    }
  }
  return found;
}
