/** How does a file of the browser reach the program? Piece by piece, until it is complete or nobody wants it any more. */
import { UPLOAD_CHUNK_BYTES } from '../../main/contract/limits.ts';
import type { IsoglossClient } from '../../main/contract/index.ts';

/** `projectId` null: a file that becomes a project itself. */
export type UploadWishes = { readonly projectId: string | null; readonly file: File; readonly isWanted: () => boolean; readonly onProgress: (fractionDone: number) => void };

/** @returns the path in the project, or null when it was not wanted any more. @throws what the program says. */
export async function uploadFile(client: IsoglossClient, { projectId, file, isWanted, onProgress }: UploadWishes): Promise<string | null> {
  const upload = crypto.randomUUID();
  for (let offset = 0; isWanted(); ) {
    const chunk = file.slice(offset, offset + UPLOAD_CHUNK_BYTES);
    const answer = await client.files.upload({ projectId, upload, name: file.name, offset, totalBytes: file.size, chunk });
    if (answer.status === 'complete') return answer.path;
    offset = answer.receivedBytes;
    onProgress(file.size === 0 ? 0 : offset / file.size);
  }
  return null;
}
