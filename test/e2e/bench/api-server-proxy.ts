import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import type { Kubeconfig } from './kubeconfig';
import { kubeconfigOf } from './kubeconfig';
import { CertificateAuthority } from './pki';

/** One call, as it came in. */
export interface ApiServerCall {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: string;
  /** Of the answer, as soon as there is one. */
  status?: number;
}

/** What happens to calls in place of an ordinary answer: they never arrive, or the answer has this status. */
export type ApiServerFault = 'timeout' | number;

/** A proxy in front of an API server that writes down every call, and lets them fail. */
export class ApiServerProxy {
  /** Starts one for a user; it is gone when the test file ends. */
  public static async start(plane: ControlPlane, user: string, groups: readonly string[] = []) {
    const authority = await CertificateAuthority.create(`${plane.name}-proxy-ca`);
    const access = await plane.accessFor(user, groups);
    const { certificate: cert, key } = await authority.issue({ name: 'proxy', addresses: ['127.0.0.1'] });
    const agent = new Agent({
      ...{ ca: access.certificateAuthority, cert: access.certificate, key: access.key },
      keepAlive: true,
    });
    const server = createServer({ cert, key });
    await new Promise<void>((done, fail) => {
      server.once('error', fail).listen(0, '127.0.0.1', done);
    });
    onCleanUp(async () => {
      agent.destroy();
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const reached = { ...access, server: url, certificateAuthority: authority.certificate };
    const proxy = new ApiServerProxy(access.server, agent, kubeconfigOf(plane.name, user, reached));
    server.on('request', (asked, answer) => void proxy.handle(asked, answer));
    return proxy;
  }

  /** The calls so far, in their order. */
  public readonly calls: ApiServerCall[] = [];

  private broken?: { readonly fault: ApiServerFault; readonly onlyWrites: boolean; ahead: number };

  private constructor(
    private readonly upstream: string,
    private readonly agent: Agent,
    /** The user's, by way of the proxy. */
    public readonly kubeconfig: Kubeconfig,
  ) {}

  /** Calls that change something, since a moment or all. */
  public writes(since = 0): readonly ApiServerCall[] {
    return this.calls.filter((call) => call.at >= since && isWrite(call));
  }

  /** From now on, after so many more, all writes go wrong. */
  public failWrites(fault: ApiServerFault, skip = 0): void {
    this.broken = { fault, onlyWrites: true, ahead: skip };
  }

  /** From now on all calls go wrong. */
  public fail(fault: ApiServerFault): void {
    this.broken = { fault, onlyWrites: false, ahead: 0 };
  }

  /** Ends all faults. */
  public heal(): void {
    this.broken = undefined;
  }

  private async handle(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of asked) {
      parts.push(part as Buffer);
    }
    const body = Buffer.concat(parts);
    const { method = '', url: path = '', headers } = asked;
    const call: ApiServerCall = { at: Date.now(), method, path, body: body.toString() };
    this.calls.push(call);
    const fault = this.faultFor(call);
    if (fault === 'timeout') {
      return;
    }
    if (fault !== undefined) {
      call.status = fault;
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: fault, message: 'fault' };
      answer.writeHead(fault, { 'content-type': 'application/json' }).end(JSON.stringify(status));
      return;
    }
    const onward = request(new URL(path, this.upstream), { method, headers, agent: this.agent });
    onward.on('response', (found) => {
      call.status = found.statusCode!;
      answer.writeHead(found.statusCode!, found.headers);
      found.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    onward.end(body);
  }

  private faultFor(call: ApiServerCall): ApiServerFault | undefined {
    const { broken } = this;
    if (broken === undefined || (broken.onlyWrites && !isWrite(call))) {
      return undefined;
    }
    if (broken.ahead > 0) {
      broken.ahead -= 1;
      return undefined;
    }
    return broken.fault;
  }
}

function isWrite({ method, path }: ApiServerCall): boolean {
  return method !== 'GET' && !path.includes('dryRun=All');
}
