/** What is a search that is narrowed to nothing? Apart from its schema, so that the window need not load zod for it. */
export const NO_FILTER = { languages: null, folders: null, fileTypes: null, from: null, to: null, speakers: null, tiers: null } as const;
