/** How is each language's text shown in the font that was chosen for it? By one sheet of rules, made anew when the choice changes. */
import { watch } from 'vue';
import { pageLanguage } from '../locales/language-names.ts';
import type { LanguageLooks } from '../stores/settings.ts';
import { SCRIPT_FONTS } from '../styles/font-faces.ts';
import { useSettings } from './useSettings.ts';

/** A tag as it may stand in a selector as it is; browsers do not take it as a string there. */
const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i;

/** The rules; a tag that is none is left out, and a font name from outside cannot end its string. */
export function fontRules(looks: LanguageLooks): string {
  return Object.entries(looks)
    .flatMap(([tag, { font }]) => {
      const spoken = pageLanguage(tag) ?? tag;
      return font === null || font.trim() === '' || !TAG.test(spoken) ? [] : [`.user-text:lang(${spoken}){font-family:${quoted(font.trim())},var(--font-user)}`];
    })
    .join('\n');
}

function quoted(text: string): string {
  return `"${text.replace(/["\\\n\r\f]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `)}"`;
}

/** Used once, by the frame; also fetches the sheet of all scripts, which the first picture does not wait for. */
export function useLanguageFonts(): void {
  const { looks } = useSettings();
  const sheet = new CSSStyleSheet(); // made by script, so no inline style meets the security policy
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  watch(looks, (chosen) => sheet.replaceSync(fontRules(chosen)), { immediate: true });
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `./${SCRIPT_FONTS}` }));
}
