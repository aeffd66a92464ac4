/** Worker: answers queries over one index; owns the encoder and LanceDB. */
import { EnvironmentError } from '../../core/base/errors.ts';
import { answerCalls } from './answer.ts';

answerCalls({
  search: () => Promise.reject(new EnvironmentError('search.not-built', 'Searching is not part of this build yet.')),
});
