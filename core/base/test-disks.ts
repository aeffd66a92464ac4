/** How do tests get a full disk and a read-only folder? A small tmpfs where the tests may mount one, else the test is skipped. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TestFolder = Disposable & { readonly path: string };

/** A new empty folder that goes when it is disposed of. */
export function temporaryFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'isogloss-test-'));
  return { path, [Symbol.dispose]: () => { rmSync(path, { recursive: true, force: true }); } };
}

/** A disk of `sizeBytes`; null where this user may not mount one. */
export function smallDisk(sizeBytes: number): TestFolder | null {
  const folder = temporaryFolder();
  if (!succeeds('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', folder.path])) {
    folder[Symbol.dispose]();
    return null;
  }
  return {
    path: folder.path,
    [Symbol.dispose]: () => {
      succeeds('umount', ['-l', folder.path]);
      folder[Symbol.dispose]();
    },
  };
}

/** A folder in which nothing can be made; `fill` writes into it before. Null where neither permissions (root) nor a mount can do it. */
export function readOnlyFolder(fill: (path: string) => void = () => undefined): TestFolder | null {
  if (process.getuid?.() !== 0 && process.platform !== 'win32') {
    const folder = temporaryFolder();
    const path = join(folder.path, 'read-only');
    mkdirSync(path);
    fill(path);
    chmodSync(path, 0o555);
    return {
      path,
      [Symbol.dispose]: () => {
        chmodSync(path, 0o755);
        folder[Symbol.dispose]();
      },
    };
  }
  const disk = smallDisk(2 ** 20);
  if (disk === null) return null;
  fill(disk.path);
  if (succeeds('mount', ['-o', 'remount,ro', disk.path])) return disk;
  disk[Symbol.dispose]();
  return null;
}

function succeeds(command: string, words: readonly string[]): boolean {
  try {
    execFileSync(command, words, { stdio: 'ignore' });
    return true;
  } catch {
    return false; // not on this machine, or not allowed: the caller skips
  }
}
