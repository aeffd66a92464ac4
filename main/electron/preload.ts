/** What does the window find of Electron? One function that hands it a message port. */
import { contextBridge, ipcRenderer } from 'electron';
import { ELECTRON_BRIDGE, PORT_MESSAGE, type ElectronBridge } from '../contract/connection.ts';
import { CONNECT_CHANNEL } from './channel.ts';

/** The page's window, as far as a preload script needs it. */
declare const window: { readonly postMessage: (message: string, targetOrigin: string, transfer: readonly unknown[]) => void };
declare const location: { readonly origin: string };

const bridge: ElectronBridge = {
  connect: () => {
    const { port1, port2 } = new MessageChannel();
    ipcRenderer.postMessage(CONNECT_CHANNEL, null, [port1 as never]); // Node's and the page's MessagePort are one thing here
    window.postMessage(PORT_MESSAGE, location.origin, [port2]);
  },
};

contextBridge.exposeInMainWorld(ELECTRON_BRIDGE, bridge);
