/** How does the person get what somebody needs who wants to help? Copied where the browser allows it, shown where not. */
import { shallowRef, type ShallowRef } from 'vue';
import { t } from '../locales/translate.ts';
import { useBridge } from './useBridge.ts';

export type Diagnostics = {
  /** What became of copying, in a sentence; empty before. */
  readonly told: Readonly<ShallowRef<string>>;
  /** The text itself, once it was asked for. */
  readonly text: Readonly<ShallowRef<string>>;
  readonly copy: () => Promise<void>;
};

export function useDiagnostics(): Diagnostics {
  const { client } = useBridge();
  const told = shallowRef('');
  const text = shallowRef('');
  return {
    told,
    text,
    async copy() {
      text.value = (await client.app.diagnostics({})).text;
      try {
        await navigator.clipboard.writeText(text.value);
        told.value = t('desktop.copied');
      } catch {
        told.value = t('desktop.not-copied'); // a browser may forbid it; the text is shown
      }
    },
  };
}
