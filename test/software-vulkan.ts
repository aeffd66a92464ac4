/** Where do tests find a graphics card when there is none? In SwiftShader, the software Vulkan that Debian's chromium package brings. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHROMIUM = '/usr/lib/chromium';
const DRIVER = 'vk_swiftshader_icd.json';

/**
 * The environment with which a process (and its children) finds SwiftShader; empty when the machine names a Vulkan driver of its
 * own, or has no chromium package. The loader, libvulkan.so.1, is found when a process starts: set it before that.
 */
export function softwareVulkan(environment: NodeJS.ProcessEnv = process.env): Readonly<Record<string, string>> {
  const driver = join(CHROMIUM, DRIVER);
  if (process.platform !== 'linux' || environment['VK_ICD_FILENAMES'] !== undefined || !existsSync(driver)) return {};
  return {
    VK_ICD_FILENAMES: driver,
    LD_LIBRARY_PATH: [CHROMIUM, environment['LD_LIBRARY_PATH'] ?? ''].filter((folder) => folder !== '').join(':'),
    XDG_RUNTIME_DIR: environment['XDG_RUNTIME_DIR'] ?? tmpdir(),
  };
}
