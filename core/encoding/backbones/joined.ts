/** How are several faults of one folder said at once? */
import { InputError } from '../../base/errors.ts';

/** The error of several faults: the first one's code and data, everybody's sentence. */
export function joined(problems: readonly InputError[]): InputError {
  const [first, ...others] = problems;
  if (first === undefined) return new InputError('backbone.wrong-config', 'This folder holds no model.');
  return others.length === 0 ? first : new InputError(first.code, problems.map(({ message }) => message).join('\n'), { cause: first, data: first.data });
}
