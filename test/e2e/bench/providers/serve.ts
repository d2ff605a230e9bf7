import { readFileSync } from 'node:fs';
import type { handleUnaryCall, sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { IResourceProviderServer } from '@pulumi/pulumi/proto/provider_grpc_pb';
import { ResourceProviderService } from '@pulumi/pulumi/proto/provider_grpc_pb';

/** Ends the process when the engine that started it is gone: a killed engine doesn't end its providers. */
export function exitWhenOrphaned(): void {
  const engine = process.ppid;
  setInterval(() => {
    if (process.ppid !== engine) {
      process.exit(1);
    }
  }, 250).unref();
}

/** Version of an npm package that is installed. */
export function packageVersion(name: string): string {
  const file = require.resolve(`${name}/package.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** A call's handler that answers with a promise. */
export function answering<Q, A>(handle: (request: Q) => Promise<A> | A): handleUnaryCall<Q, A> {
  return (call: ServerUnaryCall<Q, A>, done: sendUnaryData<A>) => {
    Promise.resolve(call.request)
      .then(handle)
      .then(
        (reply) => done(null, reply),
        (error: Error) => done({ code: status.UNKNOWN, details: error.message }),
      );
  };
}

/** Serves a provider on a loopback port, and tells the engine which one, on the first line of the output. */
export function serve(handlers: Partial<IResourceProviderServer>): void {
  const server = new Server({ 'grpc.max_receive_message_length': 400 * 1024 * 1024 });
  server.addService(ResourceProviderService, handlers as never);
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error) {
      throw error;
    }
    process.stdout.write(`${port}\n`);
  });
  exitWhenOrphaned();
}
