/** Worker: one indexing job, from a folder of documents to an index folder. */
import { EnvironmentError } from '../../core/base/errors.ts';
import { answerCalls } from './answer.ts';

answerCalls({
  index: () => Promise.reject(new EnvironmentError('index.not-built', 'Indexing is not part of this build yet.')),
});
