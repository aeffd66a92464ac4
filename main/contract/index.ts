/** The public face of the contract: all that renderer/ may import from outside itself. */
export * from './app.ts';
export * from './basics.ts';
export * from './connection.ts';
export * from './contract.ts';
export * from './corpus.ts';
export * from './errors.ts';
export * from './files.ts';
export * from './job.ts';
export * from './language.ts';
export * from './judgement.ts';
export * from './library.ts';
export * from './limits.ts';
export * from './mine.ts';
export * from './project.ts';
export * from './report.ts';
export * from './search.ts';
export * from './training.ts';
