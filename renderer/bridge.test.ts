/** Does the window find its way back after the program was gone, and say so plainly when it may not come in? */
import { describe, expect, it } from 'vitest';
import { createReconnectingLink, isConnectionLoss, problemFrom, tokenIn, waitBeforeAttempt, type ConnectionState, type Socket } from './bridge.ts';
import { follow } from './composables/follow.ts';

class FakeSocket extends EventTarget {
  readyState = 0;
  readonly sent: unknown[] = [];

  send(data: unknown): void {
    this.sent.push(data);
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  close(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event('close'));
  }
}

function setUp({ reachable = true }: { readonly reachable?: boolean } = {}) {
  const sockets: FakeSocket[] = [];
  const waits: number[] = [];
  const states: ConnectionState[] = [];
  const answers = { reachable };
  const made = createReconnectingLink({
    openSocket: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket as unknown as Socket; // the fake has what bridge.ts uses of a WebSocket
    },
    createLink: (socket) => ({ call: async (path) => ({ path, over: sockets.findIndex((one) => Object.is(one, socket)) }) }),
    isReachable: () => Promise.resolve(answers.reachable),
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  });
  made.connection.onChange((state) => states.push(state));
  const newest = (): FakeSocket => {
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  };
  return { ...made, sockets, waits, states, answers, newest };
}

/** Lets all promises that can go on go on. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe('the connection', () => {
  it('opens, and calls go over its socket', async () => {
    const { link, connection, newest } = setUp();
    expect(connection.state()).toEqual({ status: 'connecting' });
    newest().open();
    expect(connection.state()).toEqual({ status: 'open' });
    expect(await link.call(['app', 'info'], {}, { context: {} })).toEqual({ path: ['app', 'info'], over: 0 });
  });

  it('a call made before it is open waits for it', async () => {
    const { link, newest } = setUp();
    let answer: unknown = null;
    const call = link.call(['app', 'info'], {}, { context: {} }).then((value) => {
      answer = value;
    });
    await settle();
    expect(answer).toBeNull();
    newest().open();
    await call;
    expect(answer).not.toBeNull();
  });

  it('a waiting call ends when its signal is aborted', async () => {
    const { link } = setUp();
    const controller = new AbortController();
    const call = link.call(['app', 'info'], {}, { context: {}, signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is made anew when the program is restarted, with a new socket for later calls', async () => {
    const { link, newest, sockets, waits, states } = setUp();
    newest().open();
    newest().close();
    await settle();
    expect(states.at(-1)).toEqual({ status: 'waiting', attempt: 1 });
    expect(sockets).toHaveLength(2);
    newest().open();
    expect(states.at(-1)).toEqual({ status: 'open' });
    expect(await link.call(['x'], {}, { context: {} })).toEqual({ path: ['x'], over: 1 });
    expect(waits).toEqual([250]);
  });

  it('waits longer after each failure, at most five seconds, for as long as nobody answers', async () => {
    const { newest, waits, connection } = setUp({ reachable: false });
    for (let attempt = 0; attempt < 8; attempt += 1) {
      newest().close();
      await settle();
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
    expect(connection.state().status).toBe('waiting');
  });

  it('is refused when the program answers but twice will not let the page in: the link was used already', async () => {
    const { newest, sockets, connection } = setUp({ reachable: true });
    newest().close();
    await settle();
    expect(connection.state().status).toBe('waiting');
    newest().close();
    await settle();
    expect(connection.state()).toEqual({ status: 'refused' });
    expect(sockets).toHaveLength(2);
  });

  it('one refusal while the program is starting does not count', async () => {
    const { newest, answers, connection } = setUp({ reachable: true });
    newest().close();
    await settle();
    answers.reachable = false;
    newest().close();
    await settle();
    answers.reachable = true;
    newest().close();
    await settle();
    expect(connection.state().status).toBe('waiting');
    newest().open();
    expect(connection.state().status).toBe('open');
  });

  it('the pauses double from 250 ms and end at five seconds', () => {
    expect([1, 2, 3, 5, 6, 40].map(waitBeforeAttempt)).toEqual([250, 500, 1000, 4000, 5000, 5000]);
  });
});

describe('a stream that is followed', () => {
  it('is opened again after the connection was lost, and goes on', async () => {
    const { connection, newest } = setUp();
    newest().open();
    const seen: string[] = [];
    let openings = 0;
    await follow({
      connection,
      signal: new AbortController().signal,
      onEvent: (event: string) => seen.push(event),
      open: async () => {
        openings += 1;
        const opening = openings;
        return (async function* () {
          yield `${String(opening)}a`;
          if (opening === 1) throw new DOMException('[AsyncIdQueue] Queue was closed or aborted while waiting for pulling.', 'AbortError');
          yield `${String(opening)}b`;
        })();
      },
    });
    expect(seen).toEqual(['1a', '2a', '2b']);
  });

  it('ends with what the program refused', async () => {
    const { connection, newest } = setUp();
    newest().open();
    const refusal = { data: { family: 'input', code: 'job.unknown', message: 'There is no such job.', data: {} } };
    await expect(follow({ connection, signal: new AbortController().signal, onEvent: () => undefined, open: () => Promise.reject(refusal) })).rejects.toBe(refusal);
  });

  it('ends quietly when it is given up', async () => {
    const { connection } = setUp();
    const controller = new AbortController();
    const following = follow({ connection, signal: controller.signal, onEvent: () => undefined, open: () => Promise.reject(new Error('never opened')) });
    controller.abort();
    await expect(following).resolves.toBeUndefined();
  });
});

describe('a failure', () => {
  it('keeps family, code, message and plain data of the record', () => {
    const record = { family: 'input', code: 'corpus.unknown-format', message: 'line 3: expected a tab', data: { line: 3, path: '/a', words: { not: 'plain' } } };
    expect(problemFrom({ code: 'ISOGLOSS', data: record })).toEqual({ ...record, data: { line: 3, path: '/a' } });
  });

  it('without a record of ours is a lost connection or a refused call; text about queues is kept from people', () => {
    expect(problemFrom(new Error('Queue[5] was closed'))).toEqual({ family: 'environment', code: 'contract.unreachable', message: '', data: { detail: 'Queue[5] was closed' } });
    expect(problemFrom({ status: 400, code: 'BAD_REQUEST' }).code).toBe('contract.refused');
    expect(isConnectionLoss(new DOMException('Queue[5] was closed', 'AbortError'))).toBe(true);
    expect(isConnectionLoss(new Error('closed'))).toBe(true);
    expect(isConnectionLoss({ data: { family: 'input', code: 'job.unknown', message: 'm', data: {} } })).toBe(false);
  });
});

describe('the link', () => {
  it('carries the token in its fragment, and nothing else is taken for one', () => {
    expect(tokenIn('#token=abc_-1')).toBe('abc_-1');
    expect(tokenIn('#/project/x/texts')).toBeNull();
    expect(tokenIn('')).toBeNull();
  });
});
