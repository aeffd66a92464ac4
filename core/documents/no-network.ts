/** How is a process kept from the network for good? Every way out throws from now on; nothing that Isogloss parses needs one. */
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { EnvironmentError } from '../base/errors.ts';

/** Makes sockets, look-ups and fetch of this process throw EnvironmentError 'documents.no-network'. It cannot be undone. */
export function forbidNetwork(): void {
  Object.defineProperty(globalThis, 'fetch', { value: refuse });
  Object.defineProperty(globalThis, 'WebSocket', { value: refuse });
  Object.defineProperty(net.Socket.prototype, 'connect', { value: refuse }); // also of http, https, http2 and tls
  Object.defineProperty(net.Server.prototype, 'listen', { value: refuse });
  for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6'] as const) {
    Object.defineProperty(dns, name, { value: refuse });
    Object.defineProperty(dns.promises, name, { value: refuse });
  }
  Object.defineProperty(dgram, 'createSocket', { value: refuse });
}

/** A function, not an arrow: it also stands in for constructors. */
function refuse(): never {
  throw new EnvironmentError('documents.no-network', 'A file that is read may not reach the network.');
}
