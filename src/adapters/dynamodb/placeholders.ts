/**
 * Names and values of one expression. Names always go through placeholders, because DynamoDB reserves some 570 words, `status`
 * and `result` among them.
 */
export class Placeholders {
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, unknown> = {};

  name(attribute: string): string {
    const placeholder = `#${attribute}`;
    this.#names[placeholder] = attribute;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  /** The two maps as commands take them. */
  get attributes() {
    return {
      ExpressionAttributeNames: this.#names,
      ExpressionAttributeValues: this.#values,
    };
  }
}
