/** Who has shown the one-time link? Tokens that die with their first use, sessions that live as long as the server. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32; // 256 bits
const MAXIMUM_FAILURES = 20;
const FAILURE_WINDOW_MS = 60_000;

export type Sessions = {
  /** A new one-time token, 43 characters of base64url. */
  readonly issueToken: () => string;
  /** Trades a token for a session id; null when it is unknown or used, and for a while after too many wrong ones. */
  readonly exchange: (token: string) => string | null;
  readonly isSession: (id: string) => boolean;
};

/** Only digests are kept, and compared in constant time. `now`: milliseconds of a clock that never goes back. */
export function createSessions(now: () => number): Sessions {
  const tokens: Buffer[] = [];
  const sessions: Buffer[] = [];
  let failures: number[] = [];
  return {
    issueToken: () => {
      const token = newSecret();
      tokens.push(digest(token));
      return token;
    },
    exchange: (token) => {
      failures = failures.filter((time) => now() - time < FAILURE_WINDOW_MS);
      if (failures.length >= MAXIMUM_FAILURES) return null;
      const index = indexOfDigest(tokens, digest(token));
      if (index === -1) {
        failures.push(now());
        return null;
      }
      tokens.splice(index, 1);
      const id = newSecret();
      sessions.push(digest(id));
      return id;
    },
    isSession: (id) => indexOfDigest(sessions, digest(id)) !== -1,
  };
}

/** Cookies are shared by all ports of a host, so the name carries the port. */
export function cookieName(port: number): string {
  return `isogloss-${String(port)}`;
}

/** The Set-Cookie value of a session; no Max-Age: it ends with the browser. */
export function sessionCookie(port: number, id: string): string {
  return `${cookieName(port)}=${id}; HttpOnly; SameSite=Strict; Path=/`;
}

/** The session id in a Cookie header, or null. Two cookies of our name are none. */
export function sessionIdFrom(cookieHeader: string | undefined, port: number): string | null {
  const ours = (cookieHeader ?? '')
    .split(';')
    .map((part) => part.trim().split('='))
    .filter(([name]) => name === cookieName(port));
  return ours.length === 1 ? (ours[0]?.[1] ?? null) : null;
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Looks at every entry, so that time says nothing about which one matched. */
function indexOfDigest(digests: readonly Buffer[], wanted: Buffer): number {
  let found = -1;
  digests.forEach((candidate, index) => {
    if (timingSafeEqual(candidate, wanted)) found = index;
  });
  return found;
}
