import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { agentsAlias } from './constructs/agents-alias.ts';
import { REQUIRE_BANNER } from './constructs/require-banner.ts';
import { ConfigError } from './config-error.ts';

const LIMIT_MS = 20_000;
/** Prints the names of the agents, or why there are none. */
const PROBE = `
const tell = (what) => process.stdout.write('\\n' + JSON.stringify(what), () => process.exit());
import(process.argv[1]).then(
  ({ registry }) => tell({ names: [...registry.keys()] }),
  ({ code, message }) => tell({ code, message }),
);`;

interface Told {
  readonly names?: readonly string[];
  readonly code?: string;
  readonly message?: string;
}

const known = new Map<string, Told>();

/**
 * Names of the agents that a deployment would have. The file is bundled and loaded as its functions would load it: an agent that is
 * defined wrongly would keep every one of them from starting. Undefined when it could not be loaded here for a reason of its
 * own, such as an environment variable that only the deployed function has.
 * @throws ConfigError when an agent is defined wrongly
 */
export function loadAgents(agentsEntry: string): readonly string[] | undefined {
  const file = resolve(agentsEntry);
  const told = known.get(file) ?? probe(agentsEntry);
  known.set(file, told);
  // What `defineAgent` and `defineRegistry` throw.
  if (told.code === 'invalid_option') {
    throw new ConfigError([`agentsEntry ${JSON.stringify(agentsEntry)}: ${told.message ?? ''}`]);
  }
  return told.names;
}

function probe(agentsEntry: string): Told {
  const alias = Object.entries(agentsAlias(agentsEntry)).map(
    ([option, path]) => [option.replace('--alias:', ''), path] as const,
  );
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-agents-'));
  try {
    const outfile = join(folder, 'agents.mjs');
    buildSync({
      entryPoints: [resolve(agentsEntry)],
      outfile,
      alias: Object.fromEntries(alias),
      bundle: true,
      format: 'esm',
      platform: 'node',
      mainFields: ['module', 'main'],
      banner: { js: REQUIRE_BANNER },
      logLevel: 'silent',
    });
    const args = ['--input-type=module', '--eval', PROBE, pathToFileURL(outfile).href];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: LIMIT_MS });
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as Told;
  } catch {
    // What cannot be bundled is told by the bundling itself.
    return {};
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
