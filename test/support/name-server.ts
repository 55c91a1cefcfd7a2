import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };

/** Addresses of a name as bytes; undefined: the question is not answered. */
export type NameAnswers = (name: string, type: 'A' | 'AAAA') => readonly Buffer[] | undefined;

/** A name server on this machine. */
export class NameServer {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async start(answers: NameAnswers): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.on('message', (question, { port, address }) => {
      const answer = answerTo(question, answers);
      if (answer !== undefined) socket.send(answer, port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  async stop(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}

/** RFC 1035, of one question. */
function answerTo(question: Buffer, answers: NameAnswers): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = question.readUInt16BE(at + 1);
  const found = answers(labels.join('.').toLowerCase(), TYPES[type] ?? 'A');
  if (found === undefined) return undefined;
  const header = Buffer.alloc(12);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  const records = found.map((data) => {
    const record = Buffer.alloc(12);
    // The name is that of the question, at byte 12.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, question.subarray(12, at + 5), ...records]);
}
