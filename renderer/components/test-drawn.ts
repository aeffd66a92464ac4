/** What do tests read and press in what was drawn? */
import type { VueWrapper } from '@vue/test-utils';

/** What a reader sees: the text of all elements, in order, with one blank between. */
export function words(wrapper: VueWrapper): string {
  const texts: string[] = [];
  const walker = document.createTreeWalker(wrapper.element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) texts.push(walker.currentNode.textContent ?? '');
  return texts.join(' ').replace(/\s+/g, ' ').replace(/ ,/g, ',').trim();
}

/** The first button that says this. @throws Error when none does. */
export const button = (wrapper: VueWrapper, text: string) => {
  const found = wrapper.findAll('button').find((one) => one.text().includes(text));
  if (found === undefined) throw new Error(`no button says "${text}"`);
  return found;
};
