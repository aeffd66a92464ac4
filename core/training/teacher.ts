/** Who teaches? A model folder, a backbone from elsewhere, or the shipped English starter; and how does it search? */
import type { Encoder } from '../encoding/encoder.ts';
import { readManifest, readModelFolder } from '../encoding/model-folder.ts';
import { openAsItIs } from '../encoding/open-as-it-is.ts';
import { readStarterFolder } from '../encoding/starter-folder.ts';
import { createStaticEncoder } from '../encoding/static-encoder.ts';
import { writeTokenizer } from '../text/tokenizer.ts';

/** In a recipe, in place of a folder; a folder of this name is "./starter". */
export const STARTER_TEACHER = 'starter';

/** What a static student takes over: float32 [H] each. */
export type TeacherSpace = { readonly mean: Float32Array; readonly scale: Float32Array };

type Teacher = { readonly teacher: string; readonly starterFolder: string; readonly width: number };

/** The teacher's encoder; the starter as narrow as the student. @throws as `openAsItIs` and `readStarterFolder`. */
export async function openTeacher({ teacher, starterFolder, width, threads }: Teacher & { readonly threads: number }): Promise<Encoder> {
  if (teacher !== STARTER_TEACHER) return openAsItIs(teacher, { threads });
  const { language, vocabulary, rows, ...starter } = await readStarterFolder(starterFolder, width);
  return createStaticEncoder({ ...starter, table: rows, tokenizer: writeTokenizer(vocabulary), pivot: language, languages: [], translations: [], training: {} }, STARTER_TEACHER);
}

/** A student lives in its teacher's space, and searches there as the teacher does: whitened as a static teacher is, else not at all. */
export async function teacherSpace({ teacher, starterFolder, width }: Teacher): Promise<TeacherSpace> {
  if (teacher === STARTER_TEACHER) return readStarterFolder(starterFolder, width);
  const manifest = await readManifest(teacher).catch(() => null); // a backbone's folder has none
  if (manifest?.encoder.kind === 'static') return (await readModelFolder(teacher)).model;
  return { mean: new Float32Array(width), scale: new Float32Array(width).fill(1) };
}
