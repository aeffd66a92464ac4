/** How is the contract reached? By WebSocket when served, by MessagePort in Electron; nothing else in renderer/ knows which. */
import { createORPCClient, type ClientContext, type ClientLink, type ClientOptions } from '@orpc/client';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import { ELECTRON_BRIDGE, PORT_MESSAGE, RPC_PATH, SESSION_PATH, TOKEN_KEY, type ElectronBridge } from '../main/contract/connection.ts';
import type { ErrorRecord, IsoglossClient } from '../main/contract/index.ts';

/** `refused`: the one-time link was used before, or the program was started anew; only a new link helps. */
export type ConnectionState =
  | { readonly status: 'connecting' }
  | { readonly status: 'open' }
  | { readonly status: 'waiting'; readonly attempt: number }
  | { readonly status: 'refused' };

export type Bridge = {
  readonly client: IsoglossClient;
  readonly connection: Connection;
};

export type Connection = {
  readonly state: () => ConnectionState;
  /** Calls the listener at every change; returns the function that stops it. */
  readonly onChange: (listener: (state: ConnectionState) => void) => () => void;
  /** Resolves once calls can pass; rejects with the signal's reason when aborted. */
  readonly whenOpen: (signal?: AbortSignal) => Promise<void>;
};

/** What bridge.ts needs of a WebSocket. */
export type Socket = Pick<WebSocket, 'addEventListener' | 'removeEventListener' | 'send' | 'readyState' | 'close'>;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** A socket refused this often in a row while the program answers otherwise: the page is no longer known. */
const REFUSALS_TO_BELIEVE = 2;

/** Milliseconds before attempt n (from 1): 250, 500, 1000 ... at most 5000. */
export function waitBeforeAttempt(attempt: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
}

export type ReconnectingOptions = {
  readonly openSocket: () => Socket;
  readonly createLink: (socket: Socket) => ClientLink<ClientContext>;
  /** Asked after a socket was refused: does the program answer at all? */
  readonly isReachable: () => Promise<boolean>;
  readonly wait: (ms: number) => Promise<void>;
};

/** A link that outlives its socket: calls wait while the connection is made anew, with growing pauses. */
export function createReconnectingLink(options: ReconnectingOptions): { readonly link: ClientLink<ClientContext>; readonly connection: Connection } {
  let state: ConnectionState = { status: 'connecting' };
  let link: ClientLink<ClientContext> | null = null;
  let refusals = 0;
  const listeners = new Set<(state: ConnectionState) => void>();

  function become(next: ConnectionState): void {
    state = next;
    for (const listener of [...listeners]) listener(next);
  }

  function connect(attempt: number): void {
    const socket = options.openSocket();
    let wasOpen = false;
    socket.addEventListener('open', () => {
      wasOpen = true;
      refusals = 0;
      link = options.createLink(socket);
      become({ status: 'open' });
    });
    socket.addEventListener('close', () => {
      link = null;
      void reconnect({ attempt: wasOpen ? 1 : attempt + 1, wasRefused: !wasOpen });
    });
  }

  async function reconnect({ attempt, wasRefused }: { readonly attempt: number; readonly wasRefused: boolean }): Promise<void> {
    become({ status: 'waiting', attempt });
    if (wasRefused) refusals = (await options.isReachable()) ? refusals + 1 : 0;
    if (refusals >= REFUSALS_TO_BELIEVE) return become({ status: 'refused' });
    await options.wait(waitBeforeAttempt(attempt));
    connect(attempt);
  }

  const connection: Connection = {
    state: () => state,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    whenOpen: (signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted === true) return reject(abortReason(signal));
        if (state.status === 'open') return resolve();
        const stop = connection.onChange((next) => {
          if (next.status !== 'open') return;
          stop();
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        const onAbort = (): void => {
          stop();
          reject(abortReason(signal));
        };
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };

  connect(0);
  return {
    connection,
    link: {
      async call(path: readonly string[], input: unknown, callOptions: ClientOptions<ClientContext>): Promise<unknown> {
        await connection.whenOpen(callOptions.signal);
        if (link === null) throw new Error('The connection was lost.');
        return link.call(path, input, callOptions);
      },
    },
  };
}

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new DOMException('Cancelled.', 'AbortError');
}

const alwaysOpen: Connection = {
  state: () => ({ status: 'open' }),
  onChange: () => () => undefined,
  whenOpen: () => Promise.resolve(),
};

/** Reads `#token=...` of an address; null when there is none. */
export function tokenIn(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get(TOKEN_KEY);
}

/** A fetch that says whether anybody answered, whatever the answer. */
async function doesAnswer(path: string, request: RequestInit): Promise<boolean> {
  try {
    await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...request });
    return true;
  } catch (thrown) {
    if (thrown instanceof TypeError) return false; // what fetch throws when nobody answers
    throw thrown;
  }
}

/** Exchanges the token of the address for the cookie, once, and takes it out of the address. A refused token is found out by the socket. */
async function exchangeToken(): Promise<void> {
  const token = tokenIn(location.hash);
  if (token === null) return;
  history.replaceState(null, '', location.pathname);
  await doesAnswer(SESSION_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
}

async function connectServed(): Promise<Bridge> {
  await exchangeToken();
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const { link, connection } = createReconnectingLink({
    openSocket: () => new WebSocket(`${scheme}://${location.host}${RPC_PATH}`),
    createLink: (socket) => new SocketLink({ websocket: socket }),
    isReachable: () => doesAnswer('/', { method: 'HEAD' }),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
  return { client: clientOf(link), connection };
}

function connectElectron(electron: ElectronBridge): Promise<Bridge> {
  return new Promise((resolve) => {
    window.addEventListener('message', (event) => {
      const port = event.ports[0];
      if (event.source !== window || event.data !== PORT_MESSAGE || port === undefined) return;
      port.start();
      resolve({ client: clientOf(new PortLink({ port })), connection: alwaysOpen });
    });
    electron.connect();
  });
}

/** What the preload script left in the window, if it did. */
function electronBridge(): ElectronBridge | null {
  const found: unknown = Reflect.get(window, ELECTRON_BRIDGE);
  if (!isRecord(found)) return null;
  const connect = found['connect'];
  return typeof connect === 'function' ? { connect: () => void connect() } : null;
}

function clientOf(link: ClientLink<ClientContext>): IsoglossClient {
  return createORPCClient<IsoglossClient>(link);
}

/** The bridge of this page. Never rejects for a program that does not answer: that is a state of `connection`. */
export function openBridge(): Promise<Bridge> {
  const electron = electronBridge();
  return electron === null ? connectServed() : connectElectron(electron);
}

const FAMILIES = ['input', 'environment', 'cancellation', 'invariant'] as const;

/** The failure inside whatever a call threw, as a plain record; what is no record of ours becomes one that says so. */
export function problemFrom(thrown: unknown): ErrorRecord {
  if (isRecord(thrown) && isRecord(thrown['data'])) {
    const { family, code, message, data } = thrown['data'];
    const known = FAMILIES.find((name) => name === family);
    if (known !== undefined && typeof code === 'string' && typeof message === 'string') {
      return { family: known, code, message, data: isRecord(data) ? plainData(data) : {} };
    }
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (isRecord(thrown) && typeof thrown['status'] === 'number') return { family: 'invariant', code: 'contract.refused', message, data: {} };
  // A closed connection ends its calls with an AbortError or a plain one; their text is about queues, not for people.
  return { family: 'environment', code: 'contract.unreachable', message: '', data: { detail: message } };
}

/** Whether a call failed because the connection went away, so that asking again later may help. */
export function isConnectionLoss(thrown: unknown): boolean {
  return problemFrom(thrown).code === 'contract.unreachable';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function plainData(data: Readonly<Record<string, unknown>>): ErrorRecord['data'] {
  const plain: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(data)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) plain[name] = value;
  }
  return plain;
}
