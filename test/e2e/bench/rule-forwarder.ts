import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Rule, RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import {
  DescribeRulesCommand,
  ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { matchesGlob } from '../../../lib/core/glob';
import { onCleanUp } from './clean-up';
import type { Moto } from './moto';

/** What the targets of a group answer. */
export type TargetAnswer = (
  targetGroupArn: string,
  request: IncomingMessage,
) => { readonly status: number; readonly text: string };

/**
 * Forwards requests as the rules of a listener in moto say, which has no data plane. By default, each is answered with the name
 * of the target group that gets it.
 */
export class RuleForwarder {
  public listenerArn = '';
  public url = '';
  private readonly client: ElasticLoadBalancingV2Client;

  public constructor(
    aws: Moto,
    private readonly answer: TargetAnswer = (arn) => ({ status: 200, text: nameIn(arn) }),
  ) {
    this.client = new ElasticLoadBalancingV2Client(aws.directSettings);
    onCleanUp(() => this.client.destroy());
  }

  public async start(): Promise<this> {
    const server = createServer((request, response) => {
      void this.targetOf(request).then((arn) => {
        const { status, text } = arn === undefined ? { status: 404, text: '' } : this.answer(arn, request);
        response.writeHead(status).end(text);
      });
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    onCleanUp(() => {
      server.closeAllConnections();
      server.close();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  /** The rules beside the default, in the order in which they are looked at. */
  public async rules(): Promise<Rule[]> {
    const { Rules = [] } = await this.client.send(
      new DescribeRulesCommand({ ListenerArn: this.listenerArn }),
    );
    return Rules.filter(({ IsDefault }) => !IsDefault).sort(
      (one, other) => Number(one.Priority) - Number(other.Priority),
    );
  }

  private async targetOf(request: IncomingMessage): Promise<string | undefined> {
    const rule = (await this.rules()).find(({ Conditions = [] }) =>
      Conditions.every((condition) => holds(condition, request)),
    );
    const groups = rule?.Actions?.[0]?.ForwardConfig?.TargetGroups ?? [];
    let left = Math.random() * groups.reduce((sum, { Weight = 0 }) => sum + Weight, 0);
    return groups.find(({ Weight = 0 }) => (left -= Weight) < 0)?.TargetGroupArn;
  }
}

function nameIn(arn: string): string {
  const [name = ''] = arn.split('/').slice(-2);
  return name.replace(/^apps-|-[0-9a-f]{7}$/g, '');
}

/** @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html */
function holds(condition: RuleCondition, { headers, url = '/' }: IncomingMessage): boolean {
  const { HostHeaderConfig, PathPatternConfig, HttpHeaderConfig } = condition;
  const any = (patterns: readonly string[] = [], value = '') =>
    patterns.some((pattern) => matchesGlob(pattern, value));
  const lower = (values: readonly string[] = []) => values.map((value) => value.toLowerCase());
  if (HttpHeaderConfig) {
    const sent = headers[HttpHeaderConfig.HttpHeaderName!.toLowerCase()];
    return sent !== undefined && any(lower(HttpHeaderConfig.Values), String(sent).toLowerCase());
  }
  return HostHeaderConfig
    ? any(lower(HostHeaderConfig.Values), headers.host?.replace(/:\d+$/, '').toLowerCase())
    : any(PathPatternConfig?.Values, url.split('?')[0]);
}
