/** How does a composable reach the program? Through the bridge that main.ts provided. */
import { inject, type InjectionKey } from 'vue';
import type { Bridge } from '../bridge.ts';

export const bridgeKey: InjectionKey<Bridge> = Symbol('bridge');

export function useBridge(): Bridge {
  const bridge = inject(bridgeKey);
  if (bridge === undefined) throw new Error('No bridge was provided to this part of the window.');
  return bridge;
}
