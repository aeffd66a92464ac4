/**
 * How does the window reach the program? Two ways, one client.
 *
 * Served: the link is `http://127.0.0.1:PORT/#token=TOKEN`. The page sends `POST SESSION_PATH` with the headers
 * `authorization: Bearer TOKEN` and `content-type: application/json` and the body `{}`, receives 204 and an HttpOnly cookie,
 * takes the token out of the address (`history.replaceState(null, '', '/')`) and opens a WebSocket at RPC_PATH (same host).
 * A token works once; without one (after a reload) the cookie is already there: open the WebSocket at once. A refused
 * socket (closed before open) or a 401 means the link is used up or the program was restarted: say so in words.
 * `new RPCLink({ websocket })` from @orpc/client/websocket.
 *
 * Electron: `window[ELECTRON_BRIDGE].connect()` makes the preload post one message to the window whose `data` is
 * PORT_MESSAGE and whose `ports[0]` is a MessagePort: `port.start(); new RPCLink({ port })` from @orpc/client/message-port.
 */
export const SESSION_PATH = '/session';
export const RPC_PATH = '/rpc';
export const TOKEN_KEY = 'token';
export const ELECTRON_BRIDGE = 'isogloss';
export const PORT_MESSAGE = 'isogloss:port';

/** What the preload leaves in the window; absent in a browser. */
export type ElectronBridge = { readonly connect: () => void };
