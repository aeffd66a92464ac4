/** What may a line of the log say? No text of documents, no secret, no path beyond a file's own name. */

const REMOVED = '…';
/** The longest line that is kept; more is a text, not a message. */
const MESSAGE_CHARACTERS = 600;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  /** What a message found in a file stands between quotation marks. */
  [/"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`/g, `"${REMOVED}"`],
  /** Tokens, session ids, hashes, keys. */
  [/(?<![\w-])[A-Za-z0-9_-]{32,}(?![\w-])/g, REMOVED],
  [/\b(?:bearer|basic)\s+\S+/gi, REMOVED],
  [/\b(token|authorization|cookie|password)\b(\s*[:=]\s*|\s+)\S+/gi, `$1=${REMOVED}`],
  /** Addresses and paths: only the last part says anything, and only where it names a program file of ours. */
  [/\b(?:file|https?|wss?|app):\/\/\S*/gi, REMOVED],
  [/(?<![\w.])(?:[A-Za-z]:\\|\\\\|~?\/)(?:[^\s"'():;,|<>]+[\\/])*([^\s"'():;,|<>\\/]*)/g, `${REMOVED}/$1`],
];
/** Files of the program itself keep their names; a person's file may be named after a person. */
const OURS = /\.(?:ts|mjs|cjs|js|node|vue)$/;

/** A message without anything that is private, in one line of at most 600 characters. */
export function scrub(message: string): string {
  let text = message.replace(/[\r\n\t]+/g, ' ');
  for (const [pattern, by] of PATTERNS) text = text.replace(pattern, by);
  text = text.replace(new RegExp(`${REMOVED}/(\\S+)`, 'g'), (whole, name: string) => (OURS.test(name.replace(/[:)].*$/, '')) ? whole : REMOVED));
  return text.length <= MESSAGE_CHARACTERS ? text : `${text.slice(0, MESSAGE_CHARACTERS)} ${REMOVED}`;
}
