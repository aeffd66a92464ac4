/** How does a window's message port reach the program? One channel, one check, then oRPC. */
import type { IpcMain, MessagePortMain } from 'electron';
import { CONNECT_CHANNEL } from './channel.ts';
import { isOurFrame } from './security.ts';

/** Calls `connect` with each port that a page of ours sends; closes every other. */
export function acceptPorts(ipc: Pick<IpcMain, 'on'>, connect: (port: MessagePortMain) => void): void {
  ipc.on(CONNECT_CHANNEL, (event) => {
    const [port, ...more] = event.ports;
    if (port === undefined) return;
    if (more.length > 0 || !isOurFrame(event.senderFrame)) {
      for (const unwanted of event.ports) unwanted.close();
      return;
    }
    connect(port);
    port.start();
  });
}
