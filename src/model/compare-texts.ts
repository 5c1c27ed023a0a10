/** By code unit, so that every machine sorts alike whatever its language. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
