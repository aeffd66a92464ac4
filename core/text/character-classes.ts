/** Which characters are dropped, and which count as one apostrophe? The same sets for the model and for search. */

/** Controls and invisible marks that carry no text: C0/C1 but white space, soft hyphen, zero-width space, bidi, joiners of layout, BOM. ZWJ and ZWNJ stay: Persian and Indic scripts need them. */
export const DROPPED_CLASS = '[\\x00-\\x08\\x0E-\\x1F\\x7F-\\x84\\x86-\\x9F\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFE0E\uFE0F\uFEFF\uFFF9-\uFFFB]';

/** Apostrophe-like characters that people type for one another: ' ’ ‘ ʻ ʼ ꞌ Ꞌ (and the prime). */
export const APOSTROPHE_CLASS = '[\u2018\u2019\u02BB\u02BC\uA78B\uA78C\u2032]';
