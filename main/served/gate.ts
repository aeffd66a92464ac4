/** May this request pass? All rules of the loopback door, without a socket in sight. */
import { RPC_PATH, SESSION_PATH } from '../contract/connection.ts';

/** What a decision needs to know of a request. */
export type RequestHead = {
  readonly method: string;
  /** The path alone, without query, still encoded. */
  readonly path: string;
  /** Every Host header that came, in order. */
  readonly hosts: readonly string[];
  readonly origin: string | null;
  readonly contentType: string | null;
  readonly isUpgrade: boolean;
  /** Whether the cookie names a living session. */
  readonly hasSession: boolean;
};

export type Decision =
  | { readonly kind: 'page' }
  | { readonly kind: 'session' }
  | { readonly kind: 'socket' }
  | { readonly kind: 'refuse'; readonly status: number; readonly reason: string };

/** The names under which this server may be asked; anything else may be a foreign site that points its name at us. */
export function allowedHosts(port: number): readonly string[] {
  return [`127.0.0.1:${String(port)}`, `[::1]:${String(port)}`, `localhost:${String(port)}`];
}

/**
 * Judges one request.
 * - Exactly one Host header, exactly one of ours (DNS rebinding).
 * - Origin, where one is sent, is ours and agrees with Host; every non-GET and every upgrade must send one.
 * - POST only to /session and only as JSON (a form cannot send that without asking first, and we never agree).
 * - The socket only with a session. Pages are the program's own files and hold no data, so they need none.
 */
export function judgeRequest(head: RequestHead, port: number): Decision {
  const [host, ...moreHosts] = head.hosts;
  if (host === undefined || moreHosts.length > 0 || !allowedHosts(port).includes(host)) return refuse(421, 'Host is not this server');
  const isRead = head.method === 'GET' || head.method === 'HEAD';
  if (head.origin === null ? !isRead || head.isUpgrade : head.origin !== `http://${host}`) return refuse(403, 'Origin is not this page');
  if (head.isUpgrade) {
    if (head.method !== 'GET' || head.path !== RPC_PATH) return refuse(404, 'no socket here');
    return head.hasSession ? { kind: 'socket' } : refuse(401, 'no session');
  }
  if (head.path === SESSION_PATH) {
    if (head.method !== 'POST') return refuse(405, 'only POST here');
    if (!/^application\/json(;|$)/.test(head.contentType ?? '')) return refuse(415, 'only JSON here');
    return { kind: 'session' };
  }
  return isRead ? { kind: 'page' } : refuse(405, 'only GET here');
}

function refuse(status: number, reason: string): Decision {
  return { kind: 'refuse', status, reason };
}
