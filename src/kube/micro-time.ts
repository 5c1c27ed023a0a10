/** MicroTime as Lease and Event want it: the API server refuses any other number of digits than six. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
