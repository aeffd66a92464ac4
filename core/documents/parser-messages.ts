/** What do the process that parses and the one that asks say to each other? */
import type { ErrorRecord } from '../base/errors.ts';
import type { ParsedDocument } from './parsed-document.ts';
import type { ReadDocumentOptions } from './read-document.ts';

export type ParseRequest = { readonly id: number; readonly path: string; readonly options: ReadDocumentOptions };

export type ParseAnswer =
  | { readonly kind: 'document'; readonly id: number; readonly document: ParsedDocument }
  | { readonly kind: 'failure'; readonly id: number; readonly error: ErrorRecord };

/** Messages cross between two files of one program; what is looked at is that they are such messages at all. */
export function isParseRequest(message: unknown): message is ParseRequest {
  return typeof message === 'object' && message !== null && 'id' in message && 'path' in message && 'options' in message;
}

export function isParseAnswer(message: unknown): message is ParseAnswer {
  return typeof message === 'object' && message !== null && 'id' in message && 'kind' in message && (message.kind === 'document' || message.kind === 'failure');
}
