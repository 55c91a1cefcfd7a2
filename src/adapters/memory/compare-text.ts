/** The order of DynamoDB: by UTF-8 bytes. */
export function compareText(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
