/** `isogloss starter`: not yet. */
import { EnvironmentError } from '../../core/base/errors.ts';
import type { Command } from './command.ts';

export const starterCommand: Command = {
  summary: 'Comes with the next change.',
  usage: '',
  options: {},
  run: () => Promise.reject(new EnvironmentError('cli.not-yet', 'This command is not part of this build yet.')),
};
