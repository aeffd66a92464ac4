/** How is the system's browser opened? Without a shell; the link goes in as one argument. */
import { spawn } from 'node:child_process';

/** One row per platform: the program and what stands before the link. */
const OPENERS: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  darwin: ['open', []],
  win32: ['rundll32', ['url.dll,FileProtocolHandler']],
  linux: ['xdg-open', []],
};

/** Tries to open the link. @returns whether a program for it could be started. */
export function openBrowser(link: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [program, before] = OPENERS[platform] ?? ['xdg-open', []];
  return new Promise((resolve) => {
    const child = spawn(program, [...before, link], { stdio: 'ignore', detached: true, shell: false });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
