/** How long is the bar of a rank? Full at rank 1, empty at the last rank, in equal steps for equal factors between. */

/** 1 - ln(rank) / ln(of), between 0 and 1; 1 when there is only one candidate. */
export function rankCloseness(rank: number, of: number): number {
  if (of <= 1) return 1;
  return Math.min(1, Math.max(0, 1 - Math.log(rank) / Math.log(of)));
}
