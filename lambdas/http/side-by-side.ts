/** Works on all items, on at most `atOnce` of them at the same time, in their order. */
export async function sideBySide<Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const workOnNext = async (): Promise<void> => {
    // All take from the same iterator.
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, workOnNext));
}
