import type { FunctionConfig } from '../lambda/function-config.ts';

interface Named {
  readonly config: Pick<FunctionConfig, 'logicalId' | 'path'>;
}

/**
 * The functions a person means by `name`: those with a construct of exactly that name in their path, else those whose
 * logical id or path contains it. Case does not matter.
 */
export function findFunctions<Function extends Named>(
  functions: readonly Function[],
  name: string,
): readonly Function[] {
  const wanted = name.toLowerCase();
  const exact = functions.filter(({ config }) =>
    config.path.toLowerCase().split('/').includes(wanted),
  );
  if (exact.length > 0) return exact;
  return functions.filter(({ config }) =>
    [config.logicalId, config.path].some((own) => own.toLowerCase().includes(wanted)),
  );
}

/** `worker` of `Longhaul/Jobs/Worker/Resource`. */
export function readableName(path: string): string {
  const parts = path.split('/').filter((part) => !/^(Resource|Function|Handler)$/.test(part));
  return (parts.at(-1) ?? path).toLowerCase();
}
