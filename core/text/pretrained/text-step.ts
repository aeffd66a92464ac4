/** What is a step of a normaliser? A text made another text. */
export type TextStep = (text: string) => string;
