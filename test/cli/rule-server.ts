import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { blueArn, greenArn, ruleArn } from '../shift/plan-file/plans';

/** A rule of a load balancer and parameters of SSM, as far as a shift asks for them. */
export interface RuleServer {
  /** Environment of a command that is to call it. */
  readonly env: NodeJS.ProcessEnv;
  /** Share of green in each write, in percent. */
  readonly writes: readonly number[];
  /** How long a request about the rule waits from now on, in milliseconds. */
  answersAfter(ms: number): void;
  /** Whether somebody holds the lease. */
  isHeld(): boolean;
  stop(): void;
}

/** Starts with everything on blue, and no lease. */
export async function startRule(): Promise<RuleServer> {
  const writes: number[] = [];
  let patience = 0;
  let weights = { [blueArn]: 100, [greenArn]: 0 };
  let lease: { value: string; version: number } | undefined;

  function balancing(asked: URLSearchParams): string {
    const action = asked.get('Action')!;
    if (action === 'ModifyRule') {
      const part = 'Actions.member.1.ForwardConfig.TargetGroups.member.';
      const entries = [1, 2].map((index) => [
        asked.get(`${part}${index}.TargetGroupArn`)!,
        Number(asked.get(`${part}${index}.Weight`)),
      ]);
      weights = Object.fromEntries(entries) as typeof weights;
      writes.push(weights[greenArn]!);
    }
    const groups = Object.entries(weights).map(
      ([arn, weight]) => `<member><TargetGroupArn>${arn}</TargetGroupArn><Weight>${weight}</Weight></member>`,
    );
    const rule = `<Rules><member><RuleArn>${ruleArn}</RuleArn><Actions><member><Type>forward</Type><ForwardConfig><TargetGroups>${groups.join('')}</TargetGroups></ForwardConfig></member></Actions></member></Rules>`;
    const result = /Rule/.test(action) ? rule : '<Attributes/><TargetGroups/>';
    return `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
  }

  function parameters(action: string, asked: { Value?: string; Overwrite?: boolean }): [number, object] {
    switch (action) {
      case 'PutParameter':
        if (lease && asked.Overwrite !== true) {
          return [400, { __type: 'ParameterAlreadyExists' }];
        }
        lease = { value: asked.Value!, version: (lease?.version ?? 0) + 1 };
        return [200, { Version: lease.version }];
      case 'DeleteParameter':
        lease = undefined;
        return [200, {}];
      default:
        return lease
          ? [200, { Parameter: { Value: lease.value, Version: lease.version } }]
          : [400, { __type: 'ParameterNotFound' }];
    }
  }

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      const [, action] = String(request.headers['x-amz-target'] ?? '').split('.');
      if (action === undefined) {
        const answer = (): void => {
          response.writeHead(200, { 'content-type': 'text/xml' }).end(balancing(new URLSearchParams(body)));
        };
        if (patience > 0) {
          setTimeout(answer, patience);
        } else {
          answer();
        }
        return;
      }
      const [status, answer] = parameters(action, JSON.parse(body) as object);
      response
        .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    env: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 'B',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    writes,
    answersAfter: (ms) => (patience = ms),
    isHeld: () =>
      lease !== undefined && (JSON.parse(lease.value) as { holder?: string }).holder !== undefined,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
