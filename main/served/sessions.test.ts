/** Facts about one-time tokens and sessions. */
import { describe, expect, it } from 'vitest';
import { cookieName, createSessions, sessionCookie, sessionIdFrom } from './sessions.ts';

const PORT = 41234;

describe('a token', () => {
  it('has 256 bits and is never given twice', () => {
    const sessions = createSessions(() => 0);
    const tokens = Array.from({ length: 50 }, sessions.issueToken);
    expect(new Set(tokens).size).toBe(50);
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });

  it('opens one session and then none', () => {
    const sessions = createSessions(() => 0);
    const token = sessions.issueToken();
    const id = sessions.exchange(token);
    expect(id).not.toBeNull();
    expect(id).not.toBe(token);
    expect(sessions.isSession(id ?? '')).toBe(true);
    expect(sessions.exchange(token)).toBeNull();
  });

  it('is not a session, and a guess is neither', () => {
    const sessions = createSessions(() => 0);
    const token = sessions.issueToken();
    expect(sessions.isSession(token)).toBe(false);
    expect(sessions.isSession('')).toBe(false);
    expect(sessions.exchange('')).toBeNull();
    expect(sessions.exchange(token.slice(1))).toBeNull();
  });

  it('is not tried again for a while after twenty wrong ones', () => {
    let time = 0;
    const sessions = createSessions(() => time);
    const token = sessions.issueToken();
    for (let attempt = 0; attempt < 20; attempt += 1) expect(sessions.exchange('wrong')).toBeNull();
    expect(sessions.exchange(token)).toBeNull();
    time = 61_000;
    expect(sessions.exchange(token)).not.toBeNull();
  });
});

describe('the cookie', () => {
  it('is out of reach for scripts and for other sites, and its name carries the port', () => {
    expect(sessionCookie(PORT, 'abc')).toBe(`isogloss-${PORT}=abc; HttpOnly; SameSite=Strict; Path=/`);
  });

  it('is read among others, and not when it stands there twice', () => {
    const name = cookieName(PORT);
    expect(sessionIdFrom(`a=1; ${name}=abc; b=2`, PORT)).toBe('abc');
    expect(sessionIdFrom(`${name}=abc; ${name}=def`, PORT)).toBeNull();
    expect(sessionIdFrom(`x${name}=abc`, PORT)).toBeNull();
    expect(sessionIdFrom(`isogloss-1=abc`, PORT)).toBeNull();
    expect(sessionIdFrom(undefined, PORT)).toBeNull();
  });
});
