/** What does every way of cutting words into pieces offer? */
export type PieceModel = {
  readonly idOf: (piece: string) => number | undefined;
  /** Ids of the pieces of one pre-token. */
  readonly cut: (preToken: string) => ArrayLike<number>;
  /** null: unknown signs are left out. */
  readonly unknownId: number | null;
};
