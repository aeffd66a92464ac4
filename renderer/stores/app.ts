/** What is known about the program and the connection to it? */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { AppInfo, Wish } from '../../main/contract/index.ts';
import type { ConnectionState } from '../bridge.ts';
import { IDLE, type Loadable } from './loadable.ts';

export const useAppStore = defineStore('app', () => ({
  connection: shallowRef<ConnectionState>({ status: 'connecting' }),
  info: shallowRef<Loadable<AppInfo>>(IDLE),
  /** What the desktop asked the first page for: to choose a project's folder, or to open a file; null when it is done. */
  asked: shallowRef<Extract<Wish, { kind: 'choose-project' | 'open-path' }> | null>(null),
}));
