/** Something the demo shows did not happen as it must; its message says what. */
export class Surprise extends Error {}

export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Surprise(otherwise);
}
