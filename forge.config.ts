/** How is Isogloss packaged? What goes in, what stays outside the archive, which fuses are set, which installers are made. */
import { MakerDeb } from '@electron-forge/maker-deb';
import { MakerDMG } from '@electron-forge/maker-dmg';
import { MakerRpm } from '@electron-forge/maker-rpm';
import { MakerSquirrel } from '@electron-forge/maker-squirrel';
import { MakerZIP } from '@electron-forge/maker-zip';
import { FusesPlugin } from '@electron-forge/plugin-fuses';
import type { ForgeConfig } from '@electron-forge/shared-types';
import { ASSOCIATION, DOCUMENT_TYPES, fuses, isLeftOut, UNPACKED } from './main/electron/packaging.ts';

const LINUX = { bin: 'isogloss', categories: ['Education' as const, 'Science' as const], mimeType: [ASSOCIATION.mimeType] };

const config: ForgeConfig = {
  outDir: 'build/forge',
  packagerConfig: {
    name: 'Isogloss',
    executableName: 'isogloss',
    appBundleId: 'org.isogloss.app',
    appCategoryType: 'public.app-category.education',
    asar: { unpack: UNPACKED },
    ignore: isLeftOut,
    extraResource: [ASSOCIATION.mimeFile],
    extendInfo: DOCUMENT_TYPES,
    prune: true, // development dependencies stay here
  },
  makers: [
    new MakerZIP({}),
    new MakerDeb({ options: { ...LINUX, scripts: { postinst: ASSOCIATION.installed, postrm: ASSOCIATION.removed } } }, ['linux']),
    new MakerRpm({ options: LINUX }, ['linux']), // its maker runs no scripts: files open in Isogloss once the MIME file is installed by hand
    new MakerDMG({}, ['darwin']),
    new MakerSquirrel({ name: 'isogloss' }, ['win32']),
  ],
  plugins: [new FusesPlugin(fuses)],
};

export default config;
