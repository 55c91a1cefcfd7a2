/** The first items, and no request for more. */
export async function* take<Item>(
  count: number,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken >= count) return;
  }
}
