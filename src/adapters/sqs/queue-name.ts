/** Whether URL and ARN are of one queue: both end with its name, which is unique in account and region. */
export function isQueue(url: string, arn: string): boolean {
  return url.split('/').at(-1) === arn.split(':').at(-1);
}
