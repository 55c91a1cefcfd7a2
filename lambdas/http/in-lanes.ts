/** Works on all items, on at most `lanes` of them at once, in their order. */
export async function inLanes<Item>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    // All lanes take from the same iterator.
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
}
