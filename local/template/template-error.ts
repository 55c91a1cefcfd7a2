/** Something in the template that this cloud cannot play; names the resource (or section) it was found in. */
export class TemplateError extends Error {
  readonly where: string;

  constructor(where: string, problem: string) {
    super(`${where}: ${problem}`);
    this.name = 'TemplateError';
    this.where = where;
  }
}
