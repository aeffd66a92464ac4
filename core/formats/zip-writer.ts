/** How is a ZIP archive written that is there whole or not at all? As a stream beside its name, hashed on the way, renamed at the end. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { syncFolder } from '../base/atomic-files.ts';
import { CancellationError, EnvironmentError, InputError, toIsoglossError } from '../base/errors.ts';

export type ZipEntryFacts = { readonly sha256: string; readonly sizeBytes: number };

export type ZipWriter = {
  /** Adds the bytes of a file as they are read; `onBytes` hears of every piece. Names use "/". */
  readonly addFile: (name: string, path: string, onBytes?: (bytes: number) => void) => Promise<ZipEntryFacts>;
  readonly addText: (name: string, text: string) => Promise<ZipEntryFacts>;
  /** Ends the archive and gives it its name. @returns its size in bytes. @throws InputError 'share.exists' when something has taken the name meanwhile. */
  readonly finish: () => Promise<number>;
} & AsyncDisposable;

/** Texts pack well; tables of numbers do not, and packing them costs minutes. */
const PACKED = /\.(?:json|jsonl|md|txt|svg)$/;

/**
 * Begins an archive. Disposing of the writer before `finish` leaves nothing behind. What stands at `path` is never overwritten.
 * @throws InputError 'share.exists'; from every method EnvironmentError 'disk.full', 'disk.no-permission', 'disk.file-too-large' (FAT holds
 *   4 GB a file), and CancellationError once the signal is aborted.
 */
export async function createZipWriter(path: string, signal: AbortSignal): Promise<ZipWriter> {
  await expectFree(path);
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  const zip = new ZipFile();
  const abort = new AbortController();
  const stop = AbortSignal.any([signal, abort.signal]);
  let isFinished = false;
  const broken = new Promise<never>((_, reject) => {
    zip.on('error', reject);
  });
  broken.catch(() => undefined);
  const written = pipeline(zip.outputStream, createWriteStream(temporary, { flags: 'wx' }), { signal: stop });
  written.catch(() => undefined); // heard where something waits for it
  const failure = (thrown: unknown): Error => {
    if (signal.aborted) return new CancellationError(undefined, { cause: thrown });
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EFBIG') return new EnvironmentError('disk.file-too-large', `${path}: this disk holds no file so large (FAT sticks hold 4 GB a file). Leave the index out, or choose another disk.`, { cause: thrown, data: { path } });
    return toIsoglossError(thrown, path);
  };
  const add = async (name: string, { stream, facts, size }: Entry): Promise<ZipEntryFacts> => {
    stream.on('error', () => undefined); // told by `facts`
    zip.addReadStream(stream, name, { compress: PACKED.test(name), size });
    return Promise.race([facts, broken, written.then(() => facts)]).catch((thrown: unknown) => {
      throw failure(thrown);
    });
  };
  return {
    addFile: async (name, source, onBytes) => {
      const { size } = await stat(source).catch((thrown: unknown) => {
        throw toIsoglossError(thrown, source);
      });
      return add(name, hashing(createReadStream(source), { size, signal: stop, onBytes }));
    },
    addText: async (name, text) => {
      const bytes = Buffer.from(text);
      return add(name, hashing(Readable.from([bytes]), { size: bytes.length, signal: stop, onBytes: undefined }));
    },
    finish: async () => {
      try {
        zip.end();
        await written;
        await using file = await open(temporary, 'r+');
        await file.sync();
        const { size } = await file.stat();
        await expectFree(path);
        await rename(temporary, path);
        await syncFolder(dirname(path));
        isFinished = true;
        return size;
      } catch (thrown) {
        throw failure(thrown);
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (isFinished) return;
      abort.abort();
      await written.catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}

type Entry = { readonly stream: Readable; readonly facts: Promise<ZipEntryFacts>; readonly size: number };

/** The same bytes, and their sum once all have passed. */
function hashing(source: Readable, { size, signal, onBytes = () => undefined }: { readonly size: number; readonly signal: AbortSignal; readonly onBytes: ((bytes: number) => void) | undefined }): Entry {
  const hash = createHash('sha256');
  let passed = 0;
  let settle: { readonly resolve: (facts: ZipEntryFacts) => void; readonly reject: (thrown: unknown) => void } | null = null;
  const facts = new Promise<ZipEntryFacts>((resolve, reject) => {
    settle = { resolve, reject };
  });
  facts.catch(() => undefined);
  const pass = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of source as AsyncIterable<Uint8Array>) {
        signal.throwIfAborted();
        hash.update(piece);
        passed += piece.length;
        onBytes(piece.length);
        yield piece;
      }
      settle?.resolve({ sha256: hash.digest('hex'), sizeBytes: passed });
    } catch (thrown) {
      settle?.reject(thrown);
      throw thrown;
    }
  };
  return { stream: Readable.from(pass(), { objectMode: false }), facts, size };
}

async function expectFree(path: string): Promise<void> {
  const isThere = await stat(path).then(() => true, () => false);
  if (isThere) throw new InputError('share.exists', `${path}: expected a name that is free, found a file. Nothing was overwritten; choose another name.`, { data: { path } });
}
