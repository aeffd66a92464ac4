/** How large may what passes through the door be? Named once, used by schemas, by the server and by the window. */

const KIB = 1024;
const MIB = KIB * KIB;

/** One piece of a dropped file. The window cuts with `file.slice`. */
export const UPLOAD_CHUNK_BYTES = 4 * MIB;
/** A whole dropped file; larger ones are chosen with the folder browser, which copies nothing. */
export const UPLOAD_LIMIT_BYTES = 2 * KIB * MIB;
/** One message through the door: a chunk and its envelope. */
export const MESSAGE_LIMIT_BYTES = UPLOAD_CHUNK_BYTES + MIB;

export const PATH_CHARACTERS = 4096;
export const NAME_CHARACTERS = 200;
export const QUERY_CHARACTERS = 10_000;
export const TAG_CHARACTERS = 100;

/** Real rows shown of a corpus before it is taken. */
export const PREVIEW_ROWS = 20;
/** Problems sent with a corpus; the count is always whole. */
export const PROBLEMS_SHOWN = 100;
export const SEARCH_HITS_MAXIMUM = 200;
/** Step events kept for a window that opens while a job runs. */
export const HISTORY_STEPS = 600;
/** Values of one field of a filter. */
export const FILTER_VALUES = 100;
/** Folders of one library. */
export const LIBRARY_FOLDERS = 20;
/** Groups of spellings that a project treats as one. */
export const SPELLING_GROUPS = 200;
export const SPELLING_CHARACTERS = 64;
/** Pairs that one answer shows of what was mined. */
export const MINED_SHOWN = 200;
/** Files of the library that are listed one by one; the counts are always whole. */
export const LIBRARY_FILES_SHOWN = 2_000;
/** A phrase that is looked up, and the entries of one answer. */
export const PHRASE_CHARACTERS = 500;
export const PHRASE_HITS_MAXIMUM = 100;
/** Letters of one language on its palette, and entries of the log that one answer shows. */
export const LETTERS_CHARACTERS = 2_000;
export const LOG_ENTRIES = 2_000;
