/** Does the log keep what happened, in bounded room, and nothing that is private? */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { createLog, LOG_FILE } from './rotating-log.ts';
import { scrub } from './scrub.ts';

describe('the log', () => {
  it('keeps entries in order, also over a restart, and leaves out a line that was torn', async () => {
    using folder = temporaryFolder();
    let time = 1;
    const first = createLog({ folder: folder.path, now: () => time++ });
    first.write('info', 'program.started', 'Isogloss 0.1.0');
    first.write('error', 'worker.died');
    await first.settle();
    await writeFile(join(folder.path, LOG_FILE), `${await readFile(join(folder.path, LOG_FILE), 'utf8')}{"at":3,"lev`);
    const second = createLog({ folder: folder.path, now: () => time++ });
    second.write('info', 'ignored.joined-to-the-torn-line');
    second.write('warning', 'job.failed');
    expect((await second.read(10)).map(({ code }) => code)).toEqual(['program.started', 'worker.died', 'job.failed']);
    expect((await second.read(1)).map(({ level }) => level)).toEqual(['warning']);
  });

  it('takes bounded room however much is written, and the newest entries stay', async () => {
    using folder = temporaryFolder();
    const log = createLog({ folder: folder.path, now: () => 1, fileBytes: 2_000 });
    for (let at = 0; at < 400; at += 1) log.write('info', `job.step-${String(at)}`, 'x'.repeat(20));
    await log.settle();
    const names = await readdir(folder.path);
    expect(names.sort()).toEqual([LOG_FILE, `${LOG_FILE}.1`, `${LOG_FILE}.2`, `${LOG_FILE}.3`]);
    for (const name of names) expect((await stat(join(folder.path, name))).size).toBeLessThanOrEqual(2_000);
    expect((await log.read(1))[0]?.code).toBe('job.step-399');
  });

  it('that cannot be written stops nothing, and says later how much was lost', async () => {
    using folder = temporaryFolder();
    const place = join(folder.path, 'log');
    await writeFile(place, 'a file stands where the folder should be');
    const log = createLog({ folder: place, now: () => 1 });
    log.write('error', 'disk.full');
    log.write('error', 'disk.full');
    await log.settle();
    await rm(place);
    await mkdir(place);
    log.write('info', 'program.ended');
    expect(await log.read(10)).toMatchObject([{ code: 'log.lost', message: '2 entries could not be written.' }, { code: 'program.ended' }]);
  });

  it('is for its owner alone', async () => {
    using folder = temporaryFolder();
    const log = createLog({ folder: folder.path, now: () => 1 });
    log.write('info', 'program.started');
    await log.settle();
    if (process.platform !== 'win32') expect((await stat(join(folder.path, LOG_FILE))).mode & 0o077).toBe(0);
  });
});

describe('a line of the log (row 19)', () => {
  const CANARY = 'Kanari';
  it.each([
    `line 3: expected two columns, found "${CANARY} wa siri"`,
    `ENOENT: no such file, open '/home/${CANARY}/texts/${CANARY}.tsv'`,
    `EACCES C:\\Users\\${CANARY}\\Documents\\${CANARY}.docx`,
    `read \\\\server\\${CANARY}\\a.pdf`,
    `cannot load file:///media/${CANARY}/x.pdf`,
    `opened http://127.0.0.1:4000/#token=${CANARY}${'a'.repeat(40)}`,
    `authorization: Bearer ${CANARY}-secret`,
    `cookie=${CANARY}`,
    `found “${CANARY}” and «${CANARY}»`,
    `at read (~/texts/${CANARY}/notes.md:3:1)`,
    `${'x'.repeat(700)}${CANARY}`,
  ])('says nothing private: %s', (message) => {
    expect(scrub(message)).not.toContain(CANARY);
  });

  it('still says what happened, and where in the program', () => {
    expect(scrub('The train process ended with code 139.')).toBe('The train process ended with code 139.');
    expect(scrub('TypeError: x is not a function at run (/opt/isogloss/main/jobs/registry.ts:12:3)')).toBe('TypeError: x is not a function at run (…/registry.ts:12:3)');
  });

  it('of any kind stays one short line', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (message) => {
      const said = scrub(message);
      expect(said).not.toMatch(/[\n\r]/);
      expect(said.length).toBeLessThanOrEqual(602);
    }), { numRuns: 50 });
  });
});
