/** What is thrown when a gradient cannot be formed? */
import { InputError } from '../base/errors.ts';

/** A gradient does not exist in this version: the message names the node and the path from it to the loss. */
export class GradientError extends InputError {}
