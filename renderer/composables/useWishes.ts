/** What does the desktop ask of this window? Followed over lost connections; used once, by the frame. */
import { onScopeDispose } from 'vue';
import type { Wish } from '../../main/contract/index.ts';
import { follow } from './follow.ts';
import { useBridge } from './useBridge.ts';

export function useWishes(fulfil: (wish: Wish) => void): void {
  const { client, connection } = useBridge();
  const controller = new AbortController();
  void follow({ connection, open: (signal) => client.app.wishes({}, { signal }), onEvent: fulfil, signal: controller.signal });
  onScopeDispose(() => controller.abort());
}
