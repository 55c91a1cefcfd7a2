/* eslint-disable no-control-regex -- control characters are what must not get through */
const STEERING = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
/** JSON escapes those below U+0020 itself. */
const STEERING_IN_JSON = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
/* eslint-enable no-control-regex */

/** Text of agents, and of the world they read, without what would steer the terminal. */
export function printable(text: string): string {
  return text.replace(STEERING, ' ');
}

/** A value as JSON for people, which is still JSON. */
export function indented(value: unknown): string {
  const escaped = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replace(STEERING_IN_JSON, escaped);
}

/** Cut to a width, and shown to be cut. */
export function cutTo(width: number, text: string): string {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  return `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}
