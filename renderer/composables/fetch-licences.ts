/** Whose work is in this program? One file beside the window, made by the build (licences.config.ts). */

/** `text`: where the licence stands in `texts`; null: the package brings none. */
export type LicensedPackage = { readonly name: string; readonly version: string; readonly licence: string; readonly text: number | null };
export type Licences = {
  readonly packages: readonly LicensedPackage[];
  readonly fonts: readonly LicensedPackage[];
  readonly data: readonly { readonly name: 'starter' | 'sample'; readonly licence: string; readonly text: string }[];
  /** Each licence text once. */
  readonly texts: readonly string[];
};

export const LICENCES_FILE = 'licences.json';

/** @throws TypeError when the program does not answer; Error when the file is not what the build makes. */
export async function fetchLicences(): Promise<Licences> {
  const answer = await fetch(`./${LICENCES_FILE}`, { credentials: 'same-origin' });
  const found: unknown = await answer.json();
  if (!isLicences(found)) throw new Error(`${LICENCES_FILE} is not what the build makes.`);
  return found;
}

function isLicences(found: unknown): found is Licences {
  return typeof found === 'object' && found !== null && ['packages', 'fonts', 'data', 'texts'].every((key) => Array.isArray(Reflect.get(found, key)));
}
