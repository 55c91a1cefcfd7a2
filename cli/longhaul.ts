#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { EXIT } from './exit-code.ts';
import { runCommand } from './run-command.ts';

const { stdin, stdout, stderr, env, argv } = process;

for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    // At once: what is still to be asked for and shown would be for nobody.
    process.exit(EXIT.pipeClosed);
  });
}

/** From when a command asks for it, Ctrl-C is that command's business; a second one ends the process all the same. */
let interrupt: AbortController | undefined;
function interruptSignal(): AbortSignal {
  if (interrupt === undefined) {
    const controller = new AbortController();
    process.once('SIGINT', () => {
      controller.abort(new Error('interrupted'));
    });
    interrupt = controller;
  }
  return interrupt.signal;
}

process.exitCode = await runCommand(argv.slice(2), {
  out: (line) => {
    console.log(line);
  },
  note: (line) => {
    console.error(line);
  },
  env,
  get signal() {
    return interruptSignal();
  },
  ...(stdin.isTTY ? {} : { readInput: () => text(stdin) }),
  ...(stdout.isTTY && {
    screen: {
      get columns() {
        return stdout.columns;
      },
      write: (output: string) => stdout.write(output),
    },
  }),
});
