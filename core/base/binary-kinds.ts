/** What is this file that is no text? Told by its first bytes, in words a person knows. */

export const GZIP_MAGIC: readonly number[] = [0x1f, 0x8b, 0x08];

/** What a binary file is, in words, from its first bytes; null for text. */
export function describeBinary(sample: Uint8Array): string | null {
  for (const { name, magic, at = 0, needsNul = false } of BINARY_KINDS) {
    if (magic.every((byte, i) => sample[at + i] === byte) && (!needsNul || sample.includes(0))) return name;
  }
  return null;
}

const ascii = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

/** Formats people rename by mistake. `needsNul`: the magic could be a word, so a NUL byte must follow somewhere. */
const BINARY_KINDS: readonly { readonly name: string; readonly magic: readonly number[]; readonly at?: number; readonly needsNul?: boolean }[] = [
  { name: 'a PDF document', magic: ascii('%PDF-') },
  { name: 'a ZIP archive (also .docx, .odt, .epub, .xlsx)', magic: [0x50, 0x4b, 3, 4] },
  { name: 'an empty ZIP archive', magic: [0x50, 0x4b, 5, 6] },
  { name: 'a gzip archive inside a gzip archive', magic: GZIP_MAGIC },
  { name: 'a Windows program', magic: ascii('MZ'), needsNul: true },
  { name: 'a Linux program', magic: [0x7f, ...ascii('ELF')] },
  { name: 'a macOS program', magic: [0xcf, 0xfa, 0xed, 0xfe] },
  { name: 'a PNG picture', magic: [0x89, ...ascii('PNG')] },
  { name: 'a JPEG picture', magic: [0xff, 0xd8, 0xff] },
  { name: 'a GIF picture', magic: ascii('GIF8'), needsNul: true },
  { name: 'an old Office document (.doc, .xls, .ppt)', magic: [0xd0, 0xcf, 0x11, 0xe0] },
  { name: 'an RTF document', magic: ascii('{\\rtf') },
  { name: 'an SQLite database', magic: ascii('SQLite format 3') },
  { name: 'a 7-Zip archive', magic: [0x37, 0x7a, 0xbc, 0xaf] },
  { name: 'a RAR archive', magic: [...ascii('Rar!'), 0x1a] },
  { name: 'an XZ archive', magic: [0xfd, ...ascii('7zXZ')] },
  { name: 'a Zstandard archive', magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'a bzip2 archive', magic: [0x31, 0x41, 0x59, 0x26], at: 4 },
  { name: 'a tar archive', magic: ascii('ustar'), at: 257 },
  { name: 'a sound or video file', magic: ascii('ftyp'), at: 4, needsNul: true },
  { name: 'a WAV or AVI file', magic: ascii('RIFF'), needsNul: true },
  { name: 'an MP3 file', magic: ascii('ID3'), needsNul: true },
  { name: 'an Ogg file', magic: ascii('OggS'), needsNul: true },
  { name: 'a Parquet table', magic: ascii('PAR1'), needsNul: true },
];
