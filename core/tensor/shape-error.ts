/** What is thrown when shapes or element types do not fit together? */
import { InvariantError } from '../base/errors.ts';

/** A graph or tensor was put together wrongly: the message says which argument, what was expected and what was found. */
export class ShapeError extends InvariantError {}
