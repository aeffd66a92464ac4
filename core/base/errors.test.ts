import { readFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertNever, CancellationError, deserialiseError, EnvironmentError, InputError, InvariantError, IsoglossError, serialiseError, toIsoglossError } from './errors.ts';
import { temporaryFolder } from './test-disks.ts';

const thrownBy = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    await work();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('expected a throw');
};

const withCode = (code: string, path?: string): Error => Object.assign(new Error(`${code}: said by the system`), { code, ...(path === undefined ? {} : { path }) });

describe('the four families', () => {
  const data = { path: '/a/b.tsv', line: 3, isLast: false, nothing: null, problems: ['one', 'two'] };
  const errors: readonly IsoglossError[] = [
    new InputError('corpus.column-count', 'line 3', { data }),
    new EnvironmentError('disk.full', 'full', { data }),
    new CancellationError('Stopped by the person.', { data }),
    new InvariantError('graph.bug', 'ours', { data, cause: new Error('inner') }),
  ];

  it.each(errors.map((error) => [error.family, error] as const))('%s crosses a process as JSON and comes back as the same class', (_family, error) => {
    const back = deserialiseError(JSON.parse(JSON.stringify(serialiseError(error))));
    expect(back).toBeInstanceOf(error.constructor);
    expect(back).toBeInstanceOf(Error);
    expect({ family: back.family, code: back.code, message: back.message, data: back.data, name: back.name }).toEqual({ family: error.family, code: error.code, message: error.message, data, name: error.name });
  });

  it('are four, each with its own family', () => {
    expect(new Set(errors.map((error) => error.family)).size).toBe(4);
  });

  it('keep their cause', () => {
    expect(errors[3]?.cause).toEqual(new Error('inner'));
    expect('cause' in new InputError('a.b', 'c')).toBe(false);
  });

  it('refuse a record of an unknown family', () => {
    const record = { family: 'weather', code: 'a.b', message: '', data: {} };
    expect(() => deserialiseError(record as unknown as Parameters<typeof deserialiseError>[0])).toThrow(InvariantError);
  });
});

describe('toIsoglossError', () => {
  it.each([
    ['ENOSPC', EnvironmentError, 'disk.full', /disk is full.*Free some space/],
    ['EDQUOT', EnvironmentError, 'disk.full', /disk is full/],
    ['EACCES', EnvironmentError, 'disk.no-permission', /may not write or read here \(EACCES\)/],
    ['EPERM', EnvironmentError, 'disk.no-permission', /EPERM/],
    ['EROFS', EnvironmentError, 'disk.no-permission', /EROFS/],
    ['EIO', EnvironmentError, 'disk.failing', /did not answer/],
    ['EMFILE', EnvironmentError, 'disk.too-many-files', /too many files/],
    ['ENOENT', InputError, 'file.missing', /found nothing/],
    ['EISDIR', InputError, 'file.is-folder', /found a folder/],
    ['ENOTDIR', InputError, 'file.not-a-folder', /found a file/],
    ['ENAMETOOLONG', InputError, 'file.name-too-long', /shorter/],
  ] as const)('makes a sentence with the path of %s', (code, family, expected, sentence) => {
    const error = toIsoglossError(withCode(code, '/some/where'));
    expect(error).toBeInstanceOf(family);
    expect(error.code).toBe(expected);
    expect(error.message).toMatch(/^\/some\/where: /);
    expect(error.message).toMatch(sentence);
    expect(error.data['path']).toBe('/some/where');
  });

  it('knows what the real file system says', async () => {
    using folder = temporaryFolder();
    expect(toIsoglossError(await thrownBy(() => readFile(join(folder.path, 'none')))).code).toBe('file.missing');
    expect(toIsoglossError(await thrownBy(() => readFile(folder.path))).code).toBe('file.is-folder');
    await mkdir(join(folder.path, 'inner'));
    expect(toIsoglossError(await thrownBy(() => readdir(join(import.meta.filename, 'inner')))).code).toBe('file.not-a-folder');
    expect(toIsoglossError(await thrownBy(() => mkdir(join(folder.path, 'n'.repeat(300))))).code).toBe('file.name-too-long');
  });

  it('knows a full disk and a forbidden folder by the words of libraries without codes', () => {
    expect(toIsoglossError(new Error('lance error: No space left on device (os error 28)')).code).toBe('disk.full');
    expect(toIsoglossError(new Error('Read-only file system (os error 30)')).code).toBe('disk.no-permission');
  });

  it('names the place that the person knows, where the system names none or a temporary file', () => {
    expect(toIsoglossError(withCode('ENOSPC'), '/my/model').message).toMatch(/^\/my\/model: the disk is full/);
    expect(toIsoglossError(withCode('EROFS', '/my/.model.tmp'), '/my/model')).toMatchObject({ message: expect.stringMatching(/^\/my\/model: /) as string, data: { path: '/my/model' } });
    const own = new InputError('a.b', 'c');
    expect(toIsoglossError(own, '/my/model')).toBe(own);
  });

  it('says the words of a library, not its code that says nothing', () => {
    expect(toIsoglossError(Object.assign(new Error('lance: Read-only file system (os error 30), at a.rs:1'), { code: 'GenericFailure' }), '/index').message).toMatch(/^\/index: .*\(Read-only file system\)/);
  });

  it('turns an aborted signal into a cancellation', () => {
    const controller = new AbortController();
    controller.abort();
    expect(toIsoglossError(controller.signal.reason)).toBeInstanceOf(CancellationError);
  });

  it('keeps errors of ours as they are, and calls everything else our bug', () => {
    const own = new InputError('a.b', 'c');
    expect(toIsoglossError(own)).toBe(own);
    const cause = new TypeError('x is not a function');
    const error = toIsoglossError(cause);
    expect([error.family, error.code, error.message, error.cause]).toEqual(['invariant', 'base.unexpected', 'x is not a function', cause]);
    expect(toIsoglossError('a text').message).toBe('a text');
    expect(toIsoglossError(undefined)).toBeInstanceOf(InvariantError);
  });
});

describe('assertNever', () => {
  it('throws our bug with the value that was not foreseen', () => {
    expect(() => assertNever('purple' as never, 'colour')).toThrow(/Unexpected colour: "purple"/);
  });
});
