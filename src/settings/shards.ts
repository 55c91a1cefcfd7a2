/** Shard of an id, 0 to `count` - 1: the 32-bit FNV-1a hash of its characters, folded so that every bit has a say. */
export function shardOf(id: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return ((hash ^ (hash >>> 16)) >>> 0) % count;
}
