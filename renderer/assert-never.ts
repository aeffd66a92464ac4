/** How is a union closed in the window? Does not compile while a case is missing; throws if it is reached all the same. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
