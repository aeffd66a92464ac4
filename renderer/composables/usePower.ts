/** Does the computer run on its battery? Known where the browser tells (Chromium does); null where it does not. */
import { onScopeDispose, shallowRef, type ShallowRef } from 'vue';

export type Power = { readonly isPlugged: boolean; readonly percent: number };

/** What Chromium's navigator.getBattery gives; not in TypeScript's library, since other browsers took it away. */
type Battery = EventTarget & { readonly charging: boolean; readonly level: number };

const HUNDRED = 100;
const EVENTS = ['chargingchange', 'levelchange'] as const;

function isBattery(found: unknown): found is Battery {
  return found instanceof EventTarget && 'charging' in found && typeof found.charging === 'boolean' && 'level' in found && typeof found.level === 'number';
}

async function batteryOf(machine: Navigator): Promise<Battery | null> {
  const ask: unknown = Reflect.get(machine, 'getBattery');
  if (typeof ask !== 'function') return null;
  try {
    const found: unknown = await Reflect.apply(ask, machine, []);
    return isBattery(found) ? found : null;
  } catch {
    return null; // forbidden by a policy: nothing is known of the battery, and nothing hangs on it
  }
}

export function usePower(machine: Navigator = navigator): Readonly<ShallowRef<Power | null>> {
  const power = shallowRef<Power | null>(null);
  let stop = (): void => undefined;
  let isOver = false;
  void batteryOf(machine).then((battery) => {
    if (battery === null || isOver) return;
    const look = (): void => {
      power.value = { isPlugged: battery.charging, percent: Math.round(battery.level * HUNDRED) };
    };
    for (const name of EVENTS) battery.addEventListener(name, look);
    stop = () => {
      for (const name of EVENTS) battery.removeEventListener(name, look);
    };
    look();
  });
  onScopeDispose(() => {
    isOver = true;
    stop();
  });
  return power;
}
