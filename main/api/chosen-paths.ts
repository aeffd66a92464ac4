/**
 * May the window name this path? Only one that the program has shown to it before: an entry of the folder browser, a project, a file
 * that was dropped or opened. A page that was taken over cannot ask for a path that nobody chose (reliability.md 2.4, row 17).
 */
import { isAbsolute } from 'node:path';
import { InputError } from '../../core/base/errors.ts';

/** The names under which calls and answers carry paths. */
export const PATH_KEYS: ReadonlySet<string> = new Set(['path', 'paths', 'folder', 'file', 'parentFolder', 'parent', 'dataFolder']);

/** Calls whose paths are inside the project's own library, relative to it; they are looked up there. */
export const INNER: ReadonlySet<string> = new Set(['document.excerpt', 'library.retry', 'judgement.mark']);

const DEEPEST = 12;

export type ChosenPaths = {
  /** Everything that looks like a path in an answer may be named from now on. */
  readonly show: (answer: unknown) => void;
  /** @throws InputError 'file.not-chosen' for a path that was never shown. */
  readonly require: (call: string, input: unknown) => void;
};

export function createChosenPaths(): ChosenPaths {
  const shown = new Set<string>();
  return {
    show: (answer) => {
      for (const path of pathsIn(answer)) if (isAbsolute(path)) shown.add(path);
    },
    require: (call, input) => {
      const isInner = INNER.has(call);
      for (const path of pathsIn(input)) {
        if (isInner ? !isAbsolute(path) : shown.has(path)) continue;
        throw new InputError('file.not-chosen', 'Expected a file or folder that was chosen in this window, found another one. Choose it with the folder browser, or drop it.');
      }
    },
  };
}

/** Values of path keys, at any depth; binary data and class instances are not looked into. */
function* pathsIn(value: unknown, key = '', depth = 0): Generator<string> {
  if (typeof value === 'string') {
    if (PATH_KEYS.has(key)) yield value;
  } else if (depth > DEEPEST) {
    return;
  } else if (Array.isArray(value)) {
    for (const item of value) yield* pathsIn(item, key, depth + 1);
  } else if (isPlain(value)) {
    for (const [name, inner] of Object.entries(value)) yield* pathsIn(inner, name, depth + 1);
  }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A stream whose events are shown as answers are. */
export async function* showEach<T>(stream: AsyncIterable<T>, show: (answer: unknown) => void): AsyncGenerator<T, void> {
  for await (const event of stream) {
    show(event);
    yield event;
  }
}
