import { expect, it } from '@jest/globals';
import { PROBLEMS } from '../../../src/protocol/problems.ts';
import { type Route, ROUTES } from '../../../src/protocol/routes.ts';
import { readProjectFile } from '../../support/source-tree.ts';

const document = readProjectFile('docs/api.md');

it('docs/api.md lists every route with its scope, and no other', () => {
  const listed = [...document.matchAll(/^\| `([A-Z]+ \/\S+)` *\| (\S+) *\|/gm)].map(
    ([, route = '', scope = '']) => `${route} ${scope.replaceAll('`', '')}`,
  );

  expect(listed.sort()).toEqual(
    (ROUTES as readonly Route[])
      .map(({ method, path, scope = 'none' }) => `${method} ${path} ${scope}`)
      .sort(),
  );
});

it('docs/api.md names every code of a problem', () => {
  const missing = Object.keys(PROBLEMS).filter((code) => !document.includes(`\`${code}\``));

  expect(missing).toEqual([]);
});
