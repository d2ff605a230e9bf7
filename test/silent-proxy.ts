import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

/** A proxy that takes connections and answers nothing. */
export interface SilentProxy {
  readonly port: number;
  /** Resolves when a client has closed its connection. */
  readonly left: Promise<void>;
  close(): void;
}

/** Starts one on the loopback device. */
export async function silentProxy(): Promise<SilentProxy> {
  let leave: () => void;
  const left = new Promise<void>((done) => (leave = done));
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => leave())
      .resume();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = (): void => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  };
  return { port: (server.address() as AddressInfo).port, left, close };
}
