/** All languages of the interface at once, for tests: importing this makes every one known, so that choosing one takes effect at once. */
import ar from './ar.json';
import en from './en.json';
import es from './es.json';
import fr from './fr.json';
import sw from './sw.json';
import { addMessages, type InterfaceLanguage, type Messages } from './translate.ts';

export const messagesOf: Readonly<Record<InterfaceLanguage, Messages>> = { en, es, fr, sw, ar };

addMessages('es', es);
addMessages('fr', fr);
addMessages('sw', sw);
addMessages('ar', ar);
