/** What is known about the program and the connection to it? */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { AppInfo } from '../../main/contract/index.ts';
import type { ConnectionState } from '../bridge.ts';
import { IDLE, type Loadable } from './loadable.ts';

export const useAppStore = defineStore('app', () => ({
  connection: shallowRef<ConnectionState>({ status: 'connecting' }),
  info: shallowRef<Loadable<AppInfo>>(IDLE),
}));
