/** Is the packaged application what it should be? Fuses, archive and file list, checked without Electron's binary. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPackageWithOptions, getRawHeader, listPackage } from '@electron/asar';
import { flipFuses, FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { describe, expect, it } from 'vitest';
import config from '../../forge.config.ts';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { PORTABLE_ENDING } from '../project/portable-file.ts';
import { ASSOCIATION, DOCUMENT_TYPES, fuses, isLeftOut, UNPACKED } from './packaging.ts';

const root = join(import.meta.dirname, '../..');

/** What Electron's program holds: a mark, the version and length of the wire, and a character for each fuse ("1" on). */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const WIRE_AS_SHIPPED = '101100011';

describe('fuses', () => {
  it('are all decided, as the security checklist has them', () => {
    const all = Object.values(FuseV1Options).filter((value) => typeof value === 'number');
    expect(all).toHaveLength(9);
    for (const fuse of all) expect(typeof fuses[fuse], FuseV1Options[fuse]).toBe('boolean');
    expect(fuses.strictlyRequireAllFuses).toBe(true);
    const on = all.filter((fuse) => fuses[fuse] === true).map((fuse) => FuseV1Options[fuse]);
    expect(on).toEqual(['EnableCookieEncryption', 'EnableEmbeddedAsarIntegrityValidation', 'OnlyLoadAppFromAsar', 'WasmTrapHandlers']);
  });

  it('are burnt into a program and read back', async () => {
    using folder = temporaryFolder();
    const program = join(folder.path, 'electron');
    await writeFile(program, Buffer.concat([Buffer.from(`start ${SENTINEL}`), Buffer.from([1, WIRE_AS_SHIPPED.length]), Buffer.from(`${WIRE_AS_SHIPPED} end`)]));
    await flipFuses(program, fuses);
    const wire = await getCurrentFuseWire(program);
    expect(wire[FuseV1Options.RunAsNode]).toBe(FuseState.DISABLE);
    expect(wire[FuseV1Options.OnlyLoadAppFromAsar]).toBe(FuseState.ENABLE);
    expect(readFileSync(program, 'latin1')).toContain('010011001 end');
  });
});

describe('the archive', () => {
  it('leaves native libraries beside it and holds a hash of every file', async () => {
    using folder = temporaryFolder();
    const source = join(folder.path, 'app');
    await mkdir(join(source, 'node_modules', 'native', 'bin'), { recursive: true });
    await writeFile(join(source, 'package.json'), '{}');
    for (const name of ['one.node', 'libone.so', 'libone.so.1.2', 'one.dylib', 'one.dll']) await writeFile(join(source, 'node_modules', 'native', 'bin', name), name);
    const archive = join(folder.path, 'app.asar');
    await createPackageWithOptions(source, archive, { unpack: UNPACKED });
    expect(readdirSync(join(folder.path, 'app.asar.unpacked', 'node_modules', 'native', 'bin')).sort()).toEqual(['libone.so', 'libone.so.1.2', 'one.dll', 'one.dylib', 'one.node']);
    expect(listPackage(archive, { isPack: false })).toContain('/package.json');
    const header = JSON.stringify(getRawHeader(archive).header);
    expect(header.match(/"algorithm":"SHA256"/g)).toHaveLength(6);
  });

  it('unpacks exactly the native libraries that the dependencies of the application bring', () => {
    const native = filesBelow('node_modules/onnxruntime-node').concat(filesBelow('node_modules/@lancedb')).filter((path) => /\.(node|so|dylib|dll)(\.[\d.]+)?$/.test(path));
    expect(native.some((path) => path.endsWith('onnxruntime_binding.node'))).toBe(true);
    expect(native.some((path) => path.includes('@lancedb/lancedb-') && path.endsWith('.node'))).toBe(true);
    expect(native.filter((path) => isLeftOut(`/${path}`))).toEqual([]);
  });
});

describe('the file list', () => {
  it.each(['', '/package.json', '/LICENSE', '/build', '/build/main/electron.mjs', '/build/renderer/index.html', '/core', '/core/sample/questions.jsonl', '/core/training', '/core/training/starter/rows.i8', '/node_modules/onnxruntime-node/package.json'])('holds "%s"', (path) => {
    expect(isLeftOut(path)).toBe(false);
  });

  it.each(['/core/base/errors.ts', '/core/training/recipe.ts', '/main/served/main.ts', '/renderer/app.vue', '/test/run.mjs', '/node_modules/node/bin/node', '/node_modules/.bin/vite', '/node_modules/node-bin-linux-x64/bin/node', '/build/main.stamp', '/.git/config', '/build/experiments/model', '/build/forge/x', '/core/samples'])('leaves out "%s"', (path) => {
    expect(isLeftOut(path)).toBe(true);
  });

  it('does not mistake a package whose name begins with "node"', () => {
    expect(isLeftOut('/node_modules/node-fetch/package.json')).toBe(false);
  });
});

describe('forge.config.ts', () => {
  it('makes zip, deb, rpm, dmg and squirrel, and sets the fuses', () => {
    expect((config.makers ?? []).map((maker) => ('name' in maker ? maker.name : '')).sort()).toEqual(['deb', 'dmg', 'rpm', 'squirrel', 'zip']);
    expect((config.plugins ?? []).map((plugin) => ('name' in plugin ? plugin.name : ''))).toEqual(['fuses']);
    expect(config.packagerConfig).toMatchObject({ asar: { unpack: UNPACKED }, ignore: isLeftOut });
  });
});

describe('files ending in .isogloss', () => {
  it('belong to the program on every system: by MIME type, by uniform type, by the registry (squirrel.ts)', () => {
    const xml = readFileSync(join(root, ASSOCIATION.mimeFile), 'utf8');
    expect(xml).toContain(`type="${ASSOCIATION.mimeType}"`);
    expect(xml).toContain(`pattern="*${PORTABLE_ENDING}"`);
    for (const script of [ASSOCIATION.installed, ASSOCIATION.removed]) expect(readFileSync(join(root, script), 'utf8')).toMatch(/^#!\/bin\/sh\n/);
    expect(DOCUMENT_TYPES.UTExportedTypeDeclarations[0]?.UTTypeTagSpecification['public.filename-extension']).toEqual([PORTABLE_ENDING.slice(1)]);
    expect(config.packagerConfig).toMatchObject({ extendInfo: DOCUMENT_TYPES, extraResource: [ASSOCIATION.mimeFile] });
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
