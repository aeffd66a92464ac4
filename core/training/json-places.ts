/** On which line of a JSON text does a value stand? For messages that name the place of a mistake. */

/** Positions (UTF-16 offsets) of every value, by its path joined with "/": "" is the root, "parallel/0/path" a value in it. */
export function jsonPlaces(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let at = 0;
  const skip = (): void => {
    while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  };
  const readString = (): string => {
    const start = at;
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
    return JSON.parse(text.slice(start, at)) as string;
  };
  const readValue = (path: string): void => {
    skip();
    places.set(path, at);
    const opening = text[at];
    if (opening === '"') readString();
    else if (opening === '{' || opening === '[') readChildren(path, opening === '{');
    else while (at < text.length && !/[,\]}\s]/.test(text[at] ?? '')) at += 1;
  };
  const readChildren = (path: string, isObject: boolean): void => {
    at += 1;
    for (let index = 0; at < text.length; index += 1) {
      skip();
      if (text[at] === '}' || text[at] === ']') break;
      let key = String(index);
      const keyAt = at;
      if (isObject) {
        key = readString();
        skip();
        at += 1; // the colon
      }
      const child = path === '' ? key : `${path}/${key}`;
      readValue(child);
      if (isObject) places.set(child, keyAt);
      skip();
      if (text[at] === ',') at += 1;
    }
    at += 1;
  };
  readValue('');
  return places;
}

/**
 * Where a text that is not JSON stops being the beginning of one; its length when it merely ends too early, null when it is JSON.
 * The parser's message does not always say, so the longest beginning that only lacks its end is searched for.
 */
export function jsonErrorOffset(text: string): number | null {
  if (isJson(text)) return null;
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (onlyLacksItsEnd(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isJson(text: string): boolean {
  return parseMessage(text) === null;
}

function onlyLacksItsEnd(beginning: string): boolean {
  const message = parseMessage(beginning);
  if (message === null || /Unexpected end|Unterminated string/.test(message)) return true;
  return Number(/at position (\d+)/.exec(message)?.[1] ?? -1) >= beginning.length;
}

function parseMessage(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = 0; i < offset && i < text.length; i += 1) if (text[i] === '\n') line += 1;
  return line;
}
