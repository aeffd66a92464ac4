/** Where on the page do the typed words stand? Marked with the browser's own highlights, so that the page itself is not changed. */
import { ref, shallowRef, watch, type Ref } from 'vue';
import { findInText } from './find-in-text.ts';

const ALL = 'find';
const CURRENT = 'find-current';
/** More marks than anybody steps through; the count says so by being this number. */
const MOST = 2_000;

export type Find = {
  readonly isOpen: Ref<boolean>;
  readonly wanted: Ref<string>;
  /** How many places there are, and which one is shown (from 1; 0: none). */
  readonly count: Ref<number>;
  readonly at: Ref<number>;
  readonly open: () => void;
  readonly close: () => void;
  readonly step: (by: 1 | -1) => void;
};

/** @param within the element that is searched; null while there is none. */
export function useFind(within: () => HTMLElement | null): Find {
  const isOpen = ref(false);
  const wanted = ref('');
  const count = ref(0);
  const at = ref(0);
  const ranges = shallowRef<readonly Range[]>([]);

  /** Browsers without highlights (old Firefox) still scroll to each place. */
  function mark(name: string, marked: readonly Range[]): void {
    if (!('highlights' in CSS)) return;
    if (marked.length === 0) CSS.highlights.delete(name);
    else CSS.highlights.set(name, new Highlight(...marked));
  }

  function look(): void {
    const root = within();
    ranges.value = isOpen.value && root !== null ? rangesOf(root, wanted.value) : [];
    count.value = ranges.value.length;
    at.value = count.value === 0 ? 0 : 1;
    mark(ALL, ranges.value);
    show();
  }

  function show(): void {
    const current = ranges.value[at.value - 1];
    mark(CURRENT, current === undefined ? [] : [current]);
    current?.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }

  watch([isOpen, wanted], look);

  return {
    isOpen,
    wanted,
    count,
    at,
    open: () => {
      if (isOpen.value) look(); // the page has changed meanwhile
      isOpen.value = true;
    },
    close: () => {
      isOpen.value = false;
    },
    step: (by) => {
      if (ranges.value.some(({ startContainer }) => !startContainer.isConnected)) return look();
      if (count.value === 0) return;
      at.value = ((at.value - 1 + by + count.value) % count.value) + 1;
      show();
    },
  };
}

function rangesOf(root: HTMLElement, wanted: string): readonly Range[] {
  const found: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) => (node.parentElement?.checkVisibility() === true ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT));
  for (let node = walker.nextNode(); node !== null && found.length < MOST; node = walker.nextNode()) {
    for (const { start, end } of findInText(node.textContent ?? '', wanted)) {
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, end);
      found.push(range);
    }
  }
  return found.slice(0, MOST);
}
