declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** DynamoDB over HTTP, in memory unless `path` is given. Delays are milliseconds. */
  export default function dynalite(options?: {
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
    maxItemSizeKb?: number;
  }): Server;
}
