/** Which failures exist? Four families, each with a stable code; they cross process borders as plain records. */

export type ErrorFamily = 'input' | 'environment' | 'cancellation' | 'invariant';

/** What an error carries besides its message; JSON-safe. */
export type ErrorData = { readonly [key: string]: string | number | boolean | null | readonly string[] };

export type ErrorOptions = { readonly cause?: unknown; readonly data?: ErrorData };

/** An error as it crosses a worker or the contract; `deserialiseError` makes the same class of it again. */
export type ErrorRecord = {
  readonly family: ErrorFamily;
  readonly code: string;
  readonly message: string;
  readonly data: ErrorData;
  readonly stack?: string;
};

/** The common shape of the four families. `code` is `area.reason`; the renderer translates by code, never by text. */
export abstract class IsoglossError extends Error {
  abstract readonly family: ErrorFamily;
  readonly code: string;
  readonly data: ErrorData;

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
    this.name = new.target.name;
  }
}

/** The user can fix it: the message says file, line, what was expected, what was found and what to do. */
export class InputError extends IsoglossError {
  readonly family = 'input';
}

/** Disk, memory, model or driver is in the way. */
export class EnvironmentError extends IsoglossError {
  readonly family = 'environment';
}

/** Somebody pressed cancel. Never reported as a fault. */
export class CancellationError extends IsoglossError {
  readonly family = 'cancellation';

  constructor(message = 'Cancelled.', options: ErrorOptions = {}) {
    super('job.cancelled', message, options);
  }
}

/** Our bug. */
export class InvariantError extends IsoglossError {
  readonly family = 'invariant';
}

/** Closes a union: does not compile while a case is missing; throws InvariantError if it is reached all the same. */
export function assertNever(value: never, what = 'value'): never {
  throw new InvariantError('base.unreachable', `Unexpected ${what}: ${JSON.stringify(value)}`);
}

type FileSystemRow = {
  readonly codes: readonly string[];
  /** Messages of libraries that report the same thing without a code. */
  readonly text?: RegExp;
  readonly make: (place: string, found: string, options: ErrorOptions) => IsoglossError;
};

/** What the operating system says, as sentences. To extend: a row. */
const FILE_SYSTEM_ROWS: readonly FileSystemRow[] = [
  { codes: ['ENOSPC', 'EDQUOT'], text: /No space left on device/i, make: (place, _found, options) => new EnvironmentError('disk.full', `${place}the disk is full; nothing that was there before is lost. Free some space and try again.`, options) },
  { codes: ['EACCES', 'EPERM', 'EROFS'], text: /Read-only file system|Permission denied/i, make: (place, found, options) => new EnvironmentError('disk.no-permission', `${place}Isogloss may not write or read here (${found}). Choose another folder or change its permissions.`, options) },
  { codes: ['EIO', 'ENXIO', 'ENODEV', 'ESTALE'], text: /Input\/output error/i, make: (place, found, options) => new EnvironmentError('disk.failing', `${place}the disk did not answer (${found}). Check that it is connected, and try again.`, options) },
  { codes: ['EMFILE', 'ENFILE'], make: (place, found, options) => new EnvironmentError('disk.too-many-files', `${place}too many files are open (${found}). Close other programs and try again.`, options) },
  { codes: ['ENOENT'], make: (place, _found, options) => new InputError('file.missing', `${place}expected a file or folder here, found nothing. Check the path.`, options) },
  { codes: ['EISDIR'], make: (place, _found, options) => new InputError('file.is-folder', `${place}expected a file, found a folder.`, options) },
  { codes: ['ENOTDIR'], make: (place, _found, options) => new InputError('file.not-a-folder', `${place}expected a folder, found a file in its place.`, options) },
  { codes: ['ENAMETOOLONG'], make: (place, _found, options) => new InputError('file.name-too-long', `${place}the name is longer than this disk allows. Choose a shorter one.`, options) },
];

/**
 * Any thrown thing as one of the four families: file system codes become sentences, unknown errors InvariantError.
 * @param place the file or folder as the person knows it; the system names none when a write fails, or a temporary one.
 */
export function toIsoglossError(thrown: unknown, place?: string): IsoglossError {
  if (thrown instanceof IsoglossError) return thrown;
  if (!(thrown instanceof Error)) return new InvariantError('base.unexpected', String(thrown));
  if (thrown.name === 'AbortError') return new CancellationError(undefined, { cause: thrown });
  const code = 'code' in thrown ? String(thrown.code) : '';
  const path = place ?? ('path' in thrown ? String(thrown.path) : '');
  const row = FILE_SYSTEM_ROWS.find(({ codes, text }) => codes.includes(code) || text?.test(thrown.message) === true);
  if (row === undefined) return new InvariantError('base.unexpected', thrown.message, { cause: thrown });
  const found = row.codes.includes(code) ? code : (row.text?.exec(thrown.message)?.[0] ?? thrown.message);
  return row.make(path === '' ? '' : `${path}: `, found, { cause: thrown, data: { path } });
}

/** The record of an error, for a message to another process. */
export function serialiseError(thrown: unknown): ErrorRecord {
  const error = toIsoglossError(thrown);
  return { family: error.family, code: error.code, message: error.message, data: error.data, ...(error.stack === undefined ? {} : { stack: error.stack }) };
}

/** The error of a record: the same class, code, message and data. */
export function deserialiseError(record: ErrorRecord): IsoglossError {
  const options = { data: record.data };
  switch (record.family) {
    case 'input':
      return new InputError(record.code, record.message, options);
    case 'environment':
      return new EnvironmentError(record.code, record.message, options);
    case 'cancellation':
      return new CancellationError(record.message, options);
    case 'invariant':
      return new InvariantError(record.code, record.message, options);
    default:
      return assertNever(record.family, 'error family');
  }
}
