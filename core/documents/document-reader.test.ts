/** Does a bad file end its reading and nothing else, and does no reading reach the network? */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { makeZip } from '../formats/test-archives.ts';
import { createDocumentReader } from './document-reader.ts';
import { docxParts, makeDocx, makeEpub, makePdf } from './test-documents.ts';

const never = new AbortController().signal;
const MANY = 800_000; // pieces of text: more than 32 MB of heap holds

async function withFiles(files: Readonly<Record<string, string | Uint8Array>>, use: (path: (name: string) => string) => Promise<void>): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'isogloss-reader-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), content);
  await use((name) => join(folder.path, name));
}

const docx = makeDocx('<w:p><w:r><w:t>Habari</w:t></w:r></w:p>');

describe.each(['process', 'thread'] as const)('a reader with a %s', (place) => {
  test('gives documents and errors of every kind as they are', async () => {
    await withFiles({ 'a.txt': 'plain', 'a.docx': docx, 'b.docx': 'x', 'c.pdf': makePdf([[{ x: 72, y: 700, text: 'Page' }]]) }, async (path) => {
      const reader = createDocumentReader({}, place);
      try {
        const read = await Promise.all(['a.txt', 'a.docx', 'c.pdf'].map((name) => reader.read(path(name), never)));
        expect(read.map(({ format, blocks }) => [format, blocks[0]?.text])).toEqual([['text', 'plain'], ['docx', 'Habari'], ['pdf', 'Page']]);
        await expect(reader.read(path('b.docx'), never)).rejects.toMatchObject({ family: 'input', code: 'documents.wrong-content', data: { path: path('b.docx') } });
        await expect(reader.read(path('none.docx'), never)).rejects.toMatchObject({ code: 'file.missing' });
        await expect(reader.read(path('a.xyz'), never)).rejects.toMatchObject({ code: 'documents.unknown-format' });
      } finally {
        reader.dispose();
      }
    });
  });

  test('gives up a file that needs too much memory or time, or is cancelled, and reads the next', async () => {
    await withFiles({ 'a.docx': docx, 'big.html': `<p>${'w<b>x</b> '.repeat(MANY)}` }, async (path) => {
      const small = createDocumentReader({ memoryMB: 32 }, place);
      await expect(small.read(path('big.html'), never)).rejects.toMatchObject({ family: 'input', code: 'documents.reading-failed', data: { path: path('big.html') } });
      expect((await small.read(path('a.docx'), never)).blocks.length).toBe(1);
      small.dispose();
      const hasty = createDocumentReader({ baseMs: 30, msPerMB: 0 }, place);
      await expect(hasty.read(path('big.html'), never)).rejects.toMatchObject({ family: 'input', code: 'documents.reading-took-too-long', data: { path: path('big.html') } });
      hasty.dispose();
      const reader = createDocumentReader({}, place);
      const wish = new AbortController();
      const cancelled = expect(reader.read(path('big.html'), wish.signal)).rejects.toThrow('stop');
      setTimeout(() => wish.abort(new Error('stop')), 50);
      await cancelled;
      expect((await reader.read(path('a.docx'), never)).blocks.length).toBe(1);
      reader.dispose();
    });
  });
});

describe('the network', () => {
  test('is out of reach for whoever forbade it: sockets, servers, look-ups and fetch', async () => {
    const script = `
      import net from 'node:net'; import http from 'node:http'; import dns from 'node:dns'; import dgram from 'node:dgram';
      const { forbidNetwork } = await import(${JSON.stringify(new URL('no-network.ts', import.meta.url).href)});
      forbidNetwork();
      const tries = { fetch: () => fetch('http://127.0.0.1:9/'), socket: () => net.connect(9, '127.0.0.1'), http: () => http.get('http://127.0.0.1:9/'), server: () => net.createServer().listen(0), dns: () => dns.lookup('localhost', () => {}), promise: () => dns.promises.lookup('localhost'), udp: () => dgram.createSocket('udp4'), web: () => new WebSocket('ws://127.0.0.1:9/') };
      const said = [];
      for (const [name, attempt] of Object.entries(tries)) try { await attempt(); said.push(name); } catch (thrown) { if (thrown.code !== 'documents.no-network') said.push(name + ': ' + thrown); }
      console.log(JSON.stringify(said));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  test('gets no request from documents full of addresses, read in this very process', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const base = `http://127.0.0.1:${address === null || typeof address === 'string' ? 0 : address.port}`;
    const remote = `<img src="${base}/a.png"/><script src="${base}/a.js"></script><iframe src="${base}/"></iframe><link rel="stylesheet" href="${base}/a.css"/><object data="${base}/o"></object>`;
    const external = docxParts('<w:p><w:r><w:t>x</w:t></w:r></w:p>').map((entry) => (entry.name === 'word/_rels/document.xml.rels' ? { ...entry, content: `<Relationships><Relationship Id="a" Type="x/attachedTemplate" Target="${base}/t.dotx" TargetMode="External"/><Relationship Id="b" Type="x/styles" Target="${base}/s.xml"/></Relationships>` } : entry));
    const files: Readonly<Record<string, string | Uint8Array>> = {
      'a.html': `<p>x ${remote}`,
      'a.epub': makeEpub([['a.xhtml', `<!DOCTYPE html SYSTEM "${base}/x.dtd"><html><body><p>x</p>${remote}</body></html>`]]),
      'a.docx': makeZip(external),
      'a.pdf': makePdf([[{ x: 72, y: 700, text: 'x' }]], { catalog: `/OpenAction << /S /URI /URI (${base}/u) >> /AcroForm << /XFA (${base}/f) >>` }),
      'a.tmx': `<!DOCTYPE tmx SYSTEM "${base}/tmx14.dtd"><tmx version="1.4"><body><tu><tuv xml:lang="en"><seg>x</seg></tuv></tu></body></tmx>`,
      'a.rtf': `{\\rtf1{\\field{\\*\\fldinst INCLUDEPICTURE "${base}/p"}{\\fldrslt x}}\\par}`,
      'a.md': `![x](${base}/m.png)`,
    };
    const { readDocument } = await import('./read-document.ts');
    await withFiles(files, async (path) => {
      for (const name of Object.keys(files)) expect([name, (await readDocument(path(name), never)).blocks.map(({ text }) => text)]).toEqual([name, ['x']]);
    });
    await fetch(base); // the server does hear
    await new Promise((resolve) => server.close(resolve));
    expect(requests).toBe(1);
  });
});

test('a process that parses may not write', async () => {
  const script = "try { (await import('node:fs')).writeFileSync(process.argv[1], 'x'); console.log('written'); } catch (thrown) { console.log(thrown.code); }";
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', '--permission', '--allow-fs-read=*', '--input-type=module', '-e', script, fileURLToPath(new URL('never-written', import.meta.url))]);
  expect(stdout.trim()).toBe('ERR_ACCESS_DENIED');
});
