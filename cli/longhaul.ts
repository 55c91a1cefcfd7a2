#!/usr/bin/env node
import { runCommand } from './run-command.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (line) => {
    console.log(line);
  },
  note: (line) => {
    console.error(line);
  },
  env: process.env,
});
