/** Do lines come out of every kind of text file as they went in, and is every fault named with its place? */
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { appendFile, mkdtempDisposable, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError, IsoglossError } from './errors.ts';
import { detectEncoding, printable, readText, readTextPieces } from './text-files.ts';
import type { FileProblem } from './text-files.ts';
import { LINE_LIMIT_BYTES, countLines, readLineBatches } from './text-lines.ts';

const area = 'corpus' as const;
const never = new AbortController().signal;

const temporaryFolder = () => mkdtempDisposable(join(tmpdir(), 'isogloss-lines-'));

async function readAll(path: string, encoding?: string): Promise<(string | FileProblem)[]> {
  const lines: (string | FileProblem)[] = [];
  for await (const batch of readLineBatches(path, never, encoding === undefined ? { area } : { area, encoding })) {
    expect(batch.firstLine).toBe(lines.length + 1);
    lines.push(...batch.lines);
  }
  return lines;
}

async function linesOf(content: string | Uint8Array, encoding?: string): Promise<(string | FileProblem)[]> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'file.tsv');
  await writeFile(path, content);
  return await readAll(path, encoding); // awaited here: the folder goes away at the end of this function
}

async function notesOf(content: string | Uint8Array): Promise<FileProblem[]> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'file.tsv');
  await writeFile(path, content);
  const notes: FileProblem[] = [];
  for await (const batch of readLineBatches(path, never, { area })) notes.push(...batch.notes);
  return notes;
}

async function errorOf(content: string | Uint8Array, encoding?: string): Promise<InputError> {
  try {
    await linesOf(content, encoding);
  } catch (thrown) {
    if (thrown instanceof InputError) return thrown;
    throw thrown;
  }
  throw new Error('expected an InputError');
}

const utf16 = (text: string, order: 'le' | 'be', mark: boolean): Buffer => {
  const bytes = Buffer.from(mark ? `\uFEFF${text}` : text, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};

const text = 'Ìròyìn ni 😀\nनमस्ते दुनिया\n\nสวัสดี\n';
const textLines = ['Ìròyìn ni 😀', 'नमस्ते दुनिया', '', 'สวัสดี'];

describe('encodings', () => {
  test('UTF-8 with and without a byte order mark gives the same lines', async () => {
    expect(await linesOf(text)).toEqual(textLines);
    expect(await linesOf(`\uFEFF${text}`)).toEqual(textLines);
  });

  test('UTF-16 with a byte order mark is decoded, both byte orders', async () => {
    expect(await linesOf(utf16(text, 'le', true))).toEqual(textLines);
    expect(await linesOf(utf16(text, 'be', true))).toEqual(textLines);
  });

  test('UTF-16 without a byte order mark is refused and both possible encodings are named', async () => {
    for (const [order, first, second] of [['le', 'utf-16le', 'utf-16be'], ['be', 'utf-16be', 'utf-16le']] as const) {
      for (const content of ['one\ttwo\nthree\tfour\n', text]) {
        const error = await errorOf(utf16(content, order, false));
        expect(error.code).toBe('corpus.utf-16-without-bom');
        expect(error.data['encodings']).toEqual([first, second]);
        expect(error.message).toMatch(/file\.tsv.*utf-16le.*|file\.tsv.*utf-16be.*/);
      }
    }
  });

  test('UTF-16 without a byte order mark is read when the encoding is given', async () => {
    expect(await linesOf(utf16(text, 'le', false), 'utf-16le')).toEqual(textLines);
    expect(await linesOf(utf16(text, 'be', false), 'utf-16be')).toEqual(textLines);
  });

  test('a one-byte encoding is read when it is given, an unknown name is refused', async () => {
    expect(await linesOf(Buffer.from('año\nniño\n', 'latin1'), 'windows-1252')).toEqual(['año', 'niño']);
    expect((await errorOf('a\n', 'klingon')).code).toBe('corpus.unknown-encoding');
  });

  test('each line of invalid UTF-8 is a problem with line and byte offset, and the others are used', async () => {
    const lines = await linesOf(Buffer.concat([Buffer.from('good\nba'), Buffer.from([0xe9, 0x20]), Buffer.from('\nfine\n'), Buffer.from([0xc3])]));
    expect(lines.map((line) => (typeof line === 'string' ? line : `${line.code} ${line.line} ${line.byteOffset}`))).toEqual(['good', 'corpus.invalid-bytes 2 7', 'fine', 'corpus.invalid-bytes 4 15']);
    expect(typeof lines[1] === 'object' && lines[1].message).toContain('bytes e9 20 after "ba"');
  });

  test('a lone surrogate in UTF-16 is a problem of its line', async () => {
    const lines = await linesOf(utf16('fine\nbad \uD800 half\nfine\n', 'le', true));
    expect(lines.map((line) => (typeof line === 'string' ? line : line.code))).toEqual(['fine', 'corpus.invalid-bytes', 'fine']);
  });

  test('U+FFFD that stands in the file stays, it is no problem', async () => {
    expect(await linesOf('a\uFFFDb\n')).toEqual(['a\uFFFDb']);
  });
});

describe('line ends', () => {
  test('LF, CRLF and CR end lines, also mixed; U+2028, U+2029 and NEL do not', async () => {
    expect(await linesOf('a\nb\r\nc\rd\u2028e\u2029f\u0085g\r\r\nh')).toEqual(['a', 'b', 'c', 'd\u2028e\u2029f\u0085g', '', 'h']);
  });

  test('a file with CR only, larger than one piece, has all its lines', async () => {
    const count = 60_000;
    const lines = await linesOf('line of words\r'.repeat(count));
    expect(lines.length).toBe(count);
    expect(new Set(lines)).toEqual(new Set(['line of words']));
  });

  test('CRLF that falls on the border of two pieces is one line end', async () => {
    const border = 256 * 1024;
    for (const shift of [-2, -1, 0, 1]) {
      const first = 'x'.repeat(border - 1 + shift);
      expect((await linesOf(`${first}\r\nsecond\r\n`)).map((line) => (typeof line === 'string' ? line.length : -1))).toEqual([first.length, 6]);
      expect((await linesOf(`${first}\rsecond\r`)).map((line) => (typeof line === 'string' ? line.length : -1))).toEqual([first.length, 6]);
    }
  });

  test('lines of any characters and ends come back as written, in UTF-8, UTF-16 and gzip', async () => {
    const line = fc.string({ unit: 'binary' }).map((value) => value.replace(/[\r\n\0\uFEFF]/g, ''));
    const file = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { minLength: 1 }).filter((lines) => lines.some(([value]) => value.trim() !== ''));
    await fc.assert(
      fc.asyncProperty(file, async (parts) => {
        const whole = parts.map(([value, end], i) => (end === '\r' && parts[i + 1]?.[0] === '' ? `${value}\r\n` : value + end)).join('');
        const expected = parts.map(([value]) => value);
        const isSafe = !/^(?:\uFEFF|%PDF|PK|MZ|\{\\rtf|GIF8|RIFF|Rar|ID3|OggS|PAR1)/.test(whole);
        fc.pre(isSafe);
        expect(await linesOf(`\uFEFF${whole}`)).toEqual(expected);
        expect(await linesOf(utf16(whole, 'le', true))).toEqual(expected);
        expect(await linesOf(utf16(whole, 'be', true))).toEqual(expected);
        expect(await linesOf(gzipSync(`\uFEFF${whole}`))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('bytes of any kind give lines or an error of the four families, never another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(undefined, 'utf-16le', 'utf-16be', 'windows-1252', 'shift_jis'), async (bytes, encoding) => {
        try {
          for (const line of await linesOf(bytes, encoding)) if (typeof line !== 'string') expect(line.code).toMatch(/^corpus\./);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('files that cannot be used', () => {
  test('an empty file, a byte order mark alone and blank lines alone are "empty"', async () => {
    for (const content of ['', '\uFEFF', '\n\n', ' \t\r\n ']) expect((await errorOf(content)).code).toBe('corpus.empty-file');
  });

  test('binary files called .tsv are refused with what they are', async () => {
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    const noise = Buffer.from(Uint8Array.from({ length: 5000 }, (_, i) => (i * 2654435761) >>> 13));
    for (const [content, words] of [[png, 'PNG'], [Buffer.from('%PDF-1.7\n'), 'PDF'], [Buffer.from('PK\u0003\u0004rest'), 'ZIP'], [Buffer.from('MZ\u0090\u0000\u0003'), 'Windows program'], [noise, 'NUL bytes'], [gzipSync(gzipSync('a')), 'gzip archive inside']] as const) {
      const error = await errorOf(content);
      expect(error.code).toBe('corpus.binary-file');
      expect(error.message).toContain(words);
    }
  });

  test('a word that looks like the start of a binary file is text', async () => {
    for (const content of ['MZ is short for Mozambique\n', 'RIFF\n', 'ID3\n']) expect(await linesOf(content)).toEqual([content.trimEnd()]);
  });

  test('fault 6: rare NULs are left out of their line and counted, in UTF-8 and UTF-16', async () => {
    const lines = await linesOf(`${'a line of words\n'.repeat(200)}bad\0line\nlast\n`);
    expect(lines.length).toBe(202);
    expect(lines[200]).toBe('badline');
    expect(await notesOf(`${'a line of words\n'.repeat(200)}b\0ad\0line\nlast\n`)).toMatchObject([{ code: 'corpus.nul-byte', line: 201, byteOffset: 200 * 16 + 1, found: '2 NUL characters' }]);
    expect(await linesOf(Buffer.from('\uFEFFone\0\ntwo\n', 'utf16le'))).toEqual(['one', 'two']);
    expect(await linesOf(Buffer.concat([Buffer.from('a line of words\n'.repeat(200)), Buffer.from([0x62, 0, 0xff, 10])]))).toMatchObject({ 200: { code: 'corpus.nul-byte' } });
    expect(lines[201]).toBe('last');
  });

  test('a missing file and a folder are input errors', async () => {
    await using folder = await temporaryFolder();
    await expect(readAll(join(folder.path, 'nothing'))).rejects.toMatchObject({ family: 'input', code: 'file.missing' });
    await expect(readAll(folder.path)).rejects.toMatchObject({ family: 'input', code: 'corpus.not-a-file' });
  });

  test('gzip is known by its bytes, not its name', async () => {
    expect(await linesOf(gzipSync(text))).toEqual(textLines);
    expect(await linesOf(Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]))).toEqual(['one', 'two']);
  });

  test('what stands behind a gzip archive, as tapes and some servers leave it, is not read', async () => {
    expect(await linesOf(Buffer.concat([gzipSync('one\ntwo\n'), Buffer.alloc(2_000_000)]))).toEqual(['one', 'two']);
  });

  test('a truncated gzip file says so with the place, after the lines that could be read', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'cut.gz');
    const lines = Array.from({ length: 50_000 }, (_, i) => `${i} ${(i * 2654435761) % 4294967296}\n`);
    const packed = gzipSync(lines.join(''));
    await writeFile(path, packed.subarray(0, packed.length - 20_000));
    let read = 0;
    const reading = (async () => {
      for await (const batch of readLineBatches(path, never, { area })) read += batch.lines.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'corpus.damaged-gzip', data: { path } });
    await expect(reading).rejects.toThrow(/stops in the middle.*unpacked bytes.*last whole line is \d+/);
    expect(read).toBeGreaterThan(1000);
  });

  test('a file that grows, shrinks or disappears while it is read is an error that names it', async () => {
    for (const [change, how] of [
      [(path: string) => appendFile(path, 'more\n'), 'bytes'],
      [(path: string) => truncate(path, 600_000), 'bytes'],
      [(path: string) => rm(path), 'deleted'],
    ] as const) {
      await using folder = await temporaryFolder();
      const path = join(folder.path, 'moving.tsv');
      await writeFile(path, 'words in a line\n'.repeat(100_000));
      const reading = (async () => {
        let isFirst = true;
        for await (const batch of readLineBatches(path, never, { area })) {
          expect(batch.lines.length).toBeGreaterThan(0);
          if (isFirst) await change(path);
          isFirst = false;
        }
      })();
      await expect(reading).rejects.toMatchObject({ code: 'corpus.file-changed' });
      await expect(reading).rejects.toThrow(new RegExp(`moving\\.tsv.*${how}`));
    }
  });

  test('an aborted signal ends the reading with its reason', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'long.txt');
    await writeFile(path, 'words in a line\n'.repeat(100_000));
    const controller = new AbortController();
    const reason = new Error('enough');
    const reading = (async () => {
      for await (const batch of readLineBatches(path, controller.signal, { area })) {
        expect(batch.lines.length).toBeGreaterThan(0);
        controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
  });
});

describe('long lines', () => {
  test('a line just within the limit is read, one byte more is a problem', async () => {
    const lines = await linesOf(`before\n${'x'.repeat(LINE_LIMIT_BYTES)}\n${'y'.repeat(LINE_LIMIT_BYTES + 1)}\nafter\n`);
    expect(lines.map((line) => (typeof line === 'string' ? line.length : line.code))).toEqual([6, LINE_LIMIT_BYTES, 'corpus.line-too-long', 5]);
    expect(lines[2]).toMatchObject({ line: 3, byteOffset: 7 + LINE_LIMIT_BYTES + 1 });
  });

  test('a long line at the end of the file, ended by CR, and in UTF-16, is one problem', async () => {
    const long = 'z'.repeat(LINE_LIMIT_BYTES + 300_000);
    const codes = (lines: (string | FileProblem)[]): string[] => lines.map((line) => (typeof line === 'string' ? line : line.code));
    expect(codes(await linesOf(`a\n${long}`))).toEqual(['a', 'corpus.line-too-long']);
    expect(codes(await linesOf(`a\r${long}\rb\rc\n`))).toEqual(['a', 'corpus.line-too-long', 'b', 'c']);
    expect(codes(await linesOf(utf16(`a\n${long}\nb\n`, 'be', true)))).toEqual(['a', 'corpus.line-too-long', 'b']);
  });

  test('a line of 200 MB is reported with number and byte offset, reading goes on, memory stays under 300 MB', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'long.tsv');
    const out = createWriteStream(path);
    out.write('first\tline\n');
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 200; i += 1) if (!out.write(piece)) await once(out, 'drain');
    out.end('\nlast\tline\n');
    await once(out, 'close');
    const script = `
      const { readLineBatches } = await import(${JSON.stringify(new URL('./text-lines.ts', import.meta.url).href)});
      const lines = [];
      for await (const batch of readLineBatches(${JSON.stringify(path)}, new AbortController().signal, { area: 'corpus' })) lines.push(...batch.lines);
      console.log(JSON.stringify({ lines, peakKB: process.resourceUsage().maxRSS }));`;
    const child = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script], { encoding: 'utf8' });
    expect(child.stderr).toBe('');
    const { lines, peakKB }: { lines: unknown[]; peakKB: number } = JSON.parse(child.stdout);
    expect(lines).toMatchObject(['first\tline', { code: 'corpus.line-too-long', line: 2, byteOffset: 11, found: `a line of ${200 * 1024 * 1024 + 1} bytes` }, 'last\tline']);
    expect(peakKB).toBeLessThan(300 * 1024);
  });
});

test('countLines counts what readLineBatches yields', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'a');
  await writeFile(path, 'a\n\nb\r\nc');
  expect(await countLines(path, never, { area })).toBe(4);
});

describe('whole texts', () => {
  test('pieces joined are the text, whatever character falls on a border', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'a.xml');
    for (const [shift, isUtf16] of [[0, false], [1, false], [2, false], [3, false], [0, true], [1, true]] as const) {
      const whole = `${'x'.repeat(256 * 1024 - 4 + shift)}😀ह${'😀'.repeat(200_000)}`;
      await writeFile(path, isUtf16 ? utf16(whole, 'le', true) : whole);
      let joined = '';
      for await (const piece of readTextPieces(path, never, { area })) {
        expect(piece.isDamaged).toBe(false);
        joined += piece.text;
      }
      expect(joined === whole).toBe(true);
    }
  });

  test('readText marks damage and refuses what is too large', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'a.txt');
    await writeFile(path, Buffer.from([0x61, 0xff, 0x62]));
    expect(await readText(path, never, { area: 'documents', limitBytes: 10 })).toEqual({ text: 'a\uFFFDb', isDamaged: true });
    await expect(readText(path, never, { area: 'documents', limitBytes: 2 })).rejects.toMatchObject({ code: 'documents.too-large' });
  });

  test('UTF-32 is refused by name', () => {
    expect(() => detectEncoding('a.txt', Uint8Array.of(0xff, 0xfe, 0, 0), { area })).toThrow(/UTF-32/);
    expect(() => detectEncoding('a.txt', Uint8Array.of(0xff, 0xfe, 0, 0), { area })).toThrow(IsoglossError);
  });
});

test('printable escapes control and direction characters and cuts between characters', () => {
  expect(printable('a\u202Eb\nc\uD800')).toBe('a\\u202eb\\u000ac\\ud800');
  expect(printable('😀😀', 2)).toBe('…');
});
