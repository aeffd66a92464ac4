/** Where may the tables of a library lie? In its folder, or at an address that LanceDB knows; what opens the door is never part of the address. */
import { InputError } from '../../base/errors.ts';

const SCHEMES = ['s3', 'gs', 'az', 'db'] as const;
const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)([^?#]*)$/i;

/**
 * Checks an address: s3://bucket/path, gs://, az://, or a LanceDB server db://name. Keys, regions and endpoints come from the environment
 * (AWS_ACCESS_KEY_ID, AWS_ENDPOINT, GOOGLE_SERVICE_ACCOUNT, AZURE_STORAGE_ACCOUNT_KEY, LANCEDB_API_KEY ...), so that no project file holds them.
 * @returns the address without a slash at its end. @throws InputError 'index.unknown-location', 'index.credentials-in-location'.
 */
export function checkedLocation(address: string): string {
  const [, scheme = '', host = '', path = ''] = ADDRESS.exec(address) ?? [];
  if (host.includes('@') || /[?#]|(?:secret|key|token)=/i.test(address)) {
    throw new InputError('index.credentials-in-location', 'The address of the library holds what looks like a password or key. Give the address alone; credentials are read from the environment.');
  }
  if (!SCHEMES.some((known) => known === scheme.toLowerCase())) {
    throw new InputError('index.unknown-location', `Expected an address that begins with ${SCHEMES.map((known) => `${known}://`).join(', ')}, found "${address}".`, { data: { location: address } });
  }
  return `${scheme.toLowerCase()}://${host}${path.replace(/\/+$/, '')}`;
}
