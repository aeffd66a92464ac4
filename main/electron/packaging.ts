/** What is in the packaged application, what is unpacked beside its archive, and what can its program not be turned into? */
import { FuseV1Options, FuseVersion, type FuseV1Config } from '@electron/fuses';

/**
 * Every fuse of Electron, each with a decision (reliability.md 2.4, row 12): the program cannot be used as a plain Node, takes no Node
 * options and no inspector, loads nothing but its archive, whose content is checked, and gives file pages no rights.
 */
export const fuses: FuseV1Config & { readonly version: FuseVersion.V1 } = {
  version: FuseVersion.V1,
  strictlyRequireAllFuses: true,
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  [FuseV1Options.WasmTrapHandlers]: true,
};

/** Native code cannot be loaded from inside an archive: ONNX Runtime's and LanceDB's libraries stand beside it. */
export const UNPACKED = '**/*.{node,so,so.*,dylib,dll}';

/** What the application reads when it runs; everything else of the repository stays out. */
const TAKEN = ['/package.json', '/LICENSE', '/build/main', '/build/renderer', '/core/sample', '/core/training/starter', '/core/evaluation/papers', '/node_modules'];
/** Dependencies of the served form alone: Electron brings its own Node. */
const LEFT_MODULES = /^\/node_modules\/(node|node-bin-[^/]+|node-[a-z0-9]+-[a-z0-9]+|\.bin|\.cache|\.package-lock\.json)(\/|$)/;

/** Whether a path of the repository ("/core/base/errors.ts"; '' is its root) stays out of the application. */
export function isLeftOut(path: string): boolean {
  if (path === '') return false;
  if (LEFT_MODULES.test(path)) return true;
  if (/\.stamp$/.test(path)) return true;
  return !TAKEN.some((taken) => path === taken || path.startsWith(`${taken}/`) || taken.startsWith(`${path}/`));
}

/** How the system learns that .isogloss files open in Isogloss: files for Linux here, DOCUMENT_TYPES for macOS, squirrel.ts for Windows. */
export const ASSOCIATION = {
  mimeType: 'application/x-isogloss',
  mimeFile: 'main/electron/association/isogloss-mime.xml',
  installed: 'main/electron/association/installed.sh',
  removed: 'main/electron/association/removed.sh',
} as const;

const UNIFORM_TYPE = 'org.isogloss.portable';

/** Goes into the Info.plist of the macOS application. */
export const DOCUMENT_TYPES = {
  CFBundleDocumentTypes: [{ CFBundleTypeName: 'Isogloss', CFBundleTypeRole: 'Viewer', LSHandlerRank: 'Owner', LSItemContentTypes: [UNIFORM_TYPE] }],
  UTExportedTypeDeclarations: [{ UTTypeIdentifier: UNIFORM_TYPE, UTTypeDescription: 'Isogloss', UTTypeConformsTo: ['public.data'], UTTypeTagSpecification: { 'public.filename-extension': ['isogloss'], 'public.mime-type': ASSOCIATION.mimeType } }],
};
