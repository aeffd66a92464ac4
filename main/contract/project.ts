/** What is a project as the window sees it? */
import { z } from 'zod';
import { countSchema, idSchema, list, nameSchema, pathSchema, tagSchema, timeSchema } from './basics.ts';
import { corpusSchema, inheritedTermsSchema } from './corpus.ts';
import { errorRecordSchema } from './errors.ts';
import { chosenLanguageSchema, givenNamesSchema, languageSchema } from './language.ts';
import { modelCardSchema } from './report.ts';
import { librarySchema, spellingRulesSchema } from './library.ts';
import { adviceSchema, trainingSettingsSchema } from './training.ts';

export const recentProjectSchema = z.object({
  id: idSchema,
  name: z.string(),
  folder: pathSchema,
  languages: list(tagSchema),
  names: givenNamesSchema,
  openedAt: timeSchema,
  /** Missing: the folder is not there now (a drive that is out); it stays in the list. */
  state: z.enum(['present', 'missing']),
});
export type RecentProject = z.infer<typeof recentProjectSchema>;

/** The steps of the rail: done, attention (something waits for the user), not yet. */
export const stepNameSchema = z.enum(['language', 'texts', 'train', 'result', 'search']);
export const stepSchema = z.object({ name: stepNameSchema, state: z.enum(['done', 'attention', 'not-yet']) });
export type Step = z.infer<typeof stepSchema>;

export const projectSchema = z.object({
  id: idSchema,
  name: z.string(),
  folder: pathSchema,
  isSample: z.boolean(),
  /** Read-only: opened elsewhere, made by a newer Isogloss, or in a folder that cannot be written. */
  access: z.discriminatedUnion('kind', [z.object({ kind: z.literal('writable') }), z.object({ kind: z.literal('read-only'), reason: errorRecordSchema })]),
  /** The user's languages; the first is the one the project is about. */
  languages: list(languageSchema),
  /** The language that the questions with passages are in. */
  bridge: languageSchema,
  corpora: list(corpusSchema),
  totals: z.object({
    questions: countSchema,
    sentences: countSchema,
    /** Pairs per language, whichever side it stands on. */
    pairs: list(z.object({ language: tagSchema, pairs: countSchema })),
  }),
  settings: trainingSettingsSchema,
  advice: list(adviceSchema),
  steps: list(stepSchema),
  model: modelCardSchema.nullable(),
  /** Texts were added, taken away or read otherwise since the model learned; absent: not known to be. */
  textsChanged: z.boolean().optional(),
  /** What a model of these corpora would inherit; null or absent: there are none. */
  terms: inheritedTermsSchema.nullable().optional(),
  library: librarySchema,
  spelling: spellingRulesSchema,
  /** Queries to offer in an empty search box (the sample project has some). */
  exampleQueries: list(z.object({ text: z.string(), language: tagSchema })),
});
export type Project = z.infer<typeof projectSchema>;

/** `parentFolder` null: Isogloss/ in the user's documents. */
export const projectCreateInputSchema = z.object({ name: nameSchema, languages: z.array(chosenLanguageSchema).min(1).max(50), parentFolder: pathSchema.nullable() });
export const projectOpenInputSchema = z.object({ folder: pathSchema });
export const projectUpdateInputSchema = z.object({
  projectId: idSchema,
  /** Null = leave as it is. */
  name: nameSchema.nullable(),
  /** All languages of the project; one that has a name already keeps it where none is said. */
  languages: z.array(chosenLanguageSchema).min(1).max(50).nullable(),
  settings: trainingSettingsSchema.nullable(),
  spelling: spellingRulesSchema.nullable().default(null),
});
/** `recent`: only leave the list; `folder`: delete what Isogloss made (never files that it did not make). */
export const projectRemoveInputSchema = z.object({ projectId: idSchema, what: z.enum(['recent', 'folder']) });
export const recentOutputSchema = z.object({ projects: list(recentProjectSchema) });
