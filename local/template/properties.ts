import { TemplateError } from './template-error.ts';

/** Typed reading of a resource's resolved properties; a missing or mistyped one names the resource. */
export class Properties {
  readonly where: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(where: string, values: Readonly<Record<string, unknown>>) {
    this.where = where;
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  raw(name: string): unknown {
    return this.#values[name];
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return this.#fail(name, 'a string');
  }

  textOr<Default>(name: string, otherwise: Default): string | Default {
    return this.has(name) ? this.text(name) : otherwise;
  }

  number(name: string): number {
    const value = Number(this.text(name));
    return Number.isFinite(value) ? value : this.#fail(name, 'a number');
  }

  numberOr<Default>(name: string, otherwise: Default): number | Default {
    return this.has(name) ? this.number(name) : otherwise;
  }

  booleanOr(name: string, otherwise: boolean): boolean {
    return this.has(name) ? this.text(name) === 'true' : otherwise;
  }

  nested(name: string): Properties {
    const value = this.#values[name] ?? {};
    if (typeof value !== 'object' || Array.isArray(value)) return this.#fail(name, 'an object');
    return new Properties(`${this.where}.${name}`, value as Record<string, unknown>);
  }

  list(name: string): Properties[] {
    return this.#array(name).map(
      (item, index) =>
        new Properties(`${this.where}.${name}[${index}]`, item as Record<string, unknown>),
    );
  }

  texts(name: string): string[] {
    return this.#array(name).map(String);
  }

  /** A map of names to strings, such as environment variables. */
  textMap(name: string): Record<string, string> {
    const value = this.#values[name] ?? {};
    return Object.fromEntries(
      Object.entries(value as Record<string, unknown>).map(([key, item]) => [key, String(item)]),
    );
  }

  #array(name: string): unknown[] {
    const value = this.#values[name] ?? [];
    return Array.isArray(value) ? value : this.#fail(name, 'a list');
  }

  #fail(name: string, wanted: string): never {
    const got = JSON.stringify(this.#values[name]);
    throw new TemplateError(this.where, `property ${name} needs to be ${wanted}, got ${got}`);
  }
}
