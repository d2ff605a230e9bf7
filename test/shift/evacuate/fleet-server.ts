import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RecordsServer } from './records-server';
import type { FakeRecord } from './records-server';

const account = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012';
const balancer = `${account}:loadbalancer/app/edge/50dc6c495c0c9188`;
const listener = `${account}:listener/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2`;

/** ARN of a slot's target group. */
export function groupOf(slot: string): string {
  const id = Buffer.from(slot).toString('hex').padEnd(16, '0').slice(0, 16);
  return `${account}:targetgroup/apps-${slot}/${id}`;
}

/** ARN of a rule, by its number from 0. */
export function ruleOf(index: number): string {
  return `${listener.replace(':listener/', ':listener-rule/')}/${index.toString(16).padStart(16, '0')}`;
}

/** What a fleet on one load balancer starts with. */
export interface FleetSetting {
  /** Weights of each rule, by slot. */
  readonly rules: readonly Readonly<Record<string, number>>[];
  /** Healthy targets by slot. */
  readonly healthy: Readonly<Record<string, number>>;
  /** Slots that target groups are tagged with, where these are others. @default - none */
  readonly tagged?: Readonly<Record<string, string>>;
  /** Tags of target groups by slot, in place of those that this library gives. @default - none */
  readonly tags?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** For how long each rule keeps clients with a slot, in seconds. @default - it does not */
  readonly stickySeconds?: number;
  /** Weighted records of Route 53. @default - none */
  readonly records?: readonly FakeRecord[];
  /** Rules on one page of a list. @default 100 */
  readonly rulesOnPage?: number;
  /** Every call waits so long, in milliseconds. @default 0 */
  readonly delayMs?: number;
  /** Calls a second of one action before AWS throttles it, with as many at once. @default - it does not */
  readonly callsPerSecond?: Readonly<Record<string, number>>;
}

/** A fleet's rules and records behind the protocols of Elastic Load Balancing, of SSM and of Route 53, on loopback. */
export class FleetServer {
  public readonly rules: Record<string, number>[];
  /** Parameters by name: versions of each, the newest last. */
  public readonly parameters = new Map<string, string[]>();
  /** `ModifyRule 3` */
  public readonly calls: string[] = [];
  /** Times of the writes of weights, in milliseconds since 1970. */
  public readonly writtenAt: number[] = [];
  public throttled = 0;
  /** Is asked before each call; a text is the code of an error. */
  public onCall: (action: string, of: string) => string | undefined = () => undefined;
  private readonly buckets = new Map<string, { left: number; at: number }>();
  private readonly server: Server;
  public readonly zone: RecordsServer;

  public constructor(private readonly setting: FleetSetting) {
    this.zone = new RecordsServer((setting.records ?? []).map((record) => ({ ...record })));
    this.rules = setting.rules.map((weights) => ({ ...weights }));
    this.server = createServer((request, response) => {
      let body = '';
      request.on('data', (data: Buffer) => (body += data.toString()));
      request.on('end', () => {
        const [, target] = String(request.headers['x-amz-target'] ?? '').split('.');
        const { method = '', url = '' } = request;
        const answer = (): void => {
          const [status, text] = RecordsServer.isAsked(url)
            ? this.route53(RecordsServer.actionOf(method, url), url, body)
            : target === undefined
              ? this.balancing(new URLSearchParams(body))
              : this.ssm(target, JSON.parse(body));
          // An answer that never comes.
          if (text === silent) {
            return;
          }
          const type = target === undefined ? 'text/xml' : 'application/x-amz-json-1.1';
          response.writeHead(status, { 'content-type': type }).end(text);
        };
        setTimeout(answer, setting.delayMs ?? 0);
      });
    });
  }

  public async start(): Promise<this> {
    await new Promise<void>((ready) => this.server.listen(0, '127.0.0.1', ready));
    return this;
  }

  public stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Environment of a process that is to call it. */
  public get env(): NodeJS.ProcessEnv {
    return {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 'B',
      AWS_REGION: 'eu-west-1',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  }

  /** The newest records, in no order. */
  public get records(): readonly any[] {
    return [...this.parameters.values()].map((versions) => JSON.parse(versions.at(-1)!).record);
  }

  private refusal(action: string, of: string): string | undefined {
    this.calls.push(of === '' ? action : `${action} ${of}`);
    const rate = this.setting.callsPerSecond?.[action];
    if (rate !== undefined) {
      const now = Date.now();
      const bucket = this.buckets.get(action) ?? { left: rate, at: now };
      bucket.left = Math.min(rate, bucket.left + ((now - bucket.at) * rate) / 1000);
      bucket.at = now;
      this.buckets.set(action, bucket);
      if (bucket.left < 1) {
        this.throttled += 1;
        return 'Throttling';
      }
      bucket.left -= 1;
    }
    return this.onCall(action, of);
  }

  private route53(action: string, path: string, body: string): [number, string] {
    const code = this.refusal(action, '');
    return code === undefined ? [200, this.zone.answer(action, path, body)] : refused(code);
  }

  private balancing(asked: URLSearchParams): [number, string] {
    const action = asked.get('Action')!;
    const index = this.rules.findIndex((_, at) =>
      [asked.get('RuleArn'), asked.get('RuleArns.member.1')].includes(ruleOf(at)),
    );
    const code = this.refusal(action, index < 0 ? '' : String(index));
    if (code !== undefined) {
      return refused(code);
    }
    const result = this.result(action, asked, index);
    return [200, `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`];
  }

  private result(action: string, asked: URLSearchParams, index: number): string {
    const slots = Object.keys(this.setting.healthy);
    switch (action) {
      case 'DescribeTargetGroups':
        return list(
          'TargetGroups',
          slots,
          (slot) =>
            `<TargetGroupArn>${groupOf(slot)}</TargetGroupArn>${list('LoadBalancerArns', [balancer])}`,
        );
      case 'DescribeTags': {
        const arns = [...asked].flatMap(([key, value]) => (key.startsWith('ResourceArns.') ? [value] : []));
        return list('TagDescriptions', arns, (arn) => {
          const slot = slots.find((each) => groupOf(each) === arn);
          const tags =
            slot === undefined
              ? []
              : Object.entries(
                  this.setting.tags?.[slot] ?? {
                    'cluster-canary/fleet': 'apps',
                    'cluster-canary/slot': this.setting.tagged?.[slot] ?? slot,
                  },
                );
          return `<ResourceArn>${arn}</ResourceArn>${list('Tags', tags, ([key, value]) => `<Key>${key}</Key><Value>${value}</Value>`)}`;
        });
      }
      case 'DescribeListeners':
        return list(
          'Listeners',
          [listener],
          (arn) =>
            `<ListenerArn>${arn}</ListenerArn><DefaultActions><member><Type>fixed-response</Type></member></DefaultActions>`,
        );
      case 'DescribeRules': {
        if (index >= 0) {
          return list('Rules', [index], (at) => this.ruleXml(at));
        }
        const { rulesOnPage = 100 } = this.setting;
        const first = Number(asked.get('Marker') ?? 0);
        const next = first + rulesOnPage;
        const wanted = this.rules.map((_, at) => at).slice(first, next);
        const more = next < this.rules.length ? `<NextMarker>${next}</NextMarker>` : '';
        return list('Rules', wanted, (at) => this.ruleXml(at)) + more;
      }
      case 'ModifyRule': {
        const part = 'Actions.member.1.ForwardConfig.TargetGroups.member.';
        const weights = slots.map((slot) => {
          const at = [1, 2, 3, 4, 5].find(
            (each) => asked.get(`${part}${each}.TargetGroupArn`) === groupOf(slot),
          );
          return [slot, at === undefined ? undefined : Number(asked.get(`${part}${at}.Weight`))] as const;
        });
        this.rules[index] = Object.fromEntries(
          weights.flatMap(([slot, of]) => (of === undefined ? [] : [[slot, of]])),
        );
        this.writtenAt.push(Date.now());
        return list('Rules', [index], (at) => this.ruleXml(at));
      }
      case 'DescribeTargetHealth': {
        const slot = slots.find((each) => groupOf(each) === asked.get('TargetGroupArn'))!;
        const healthy = Array.from({ length: this.setting.healthy[slot]! }, () => 'healthy');
        return list(
          'TargetHealthDescriptions',
          healthy.length > 0 ? healthy : ['unhealthy'],
          (state) => `<TargetHealth><State>${state}</State></TargetHealth>`,
        );
      }
      default:
        return '<Attributes/>';
    }
  }

  private ruleXml(index: number): string {
    const groups = list(
      'TargetGroups',
      Object.entries(this.rules[index]!),
      ([slot, weight]) => `<TargetGroupArn>${groupOf(slot)}</TargetGroupArn><Weight>${weight}</Weight>`,
    );
    const { stickySeconds } = this.setting;
    const sticky =
      stickySeconds === undefined
        ? ''
        : `<TargetGroupStickinessConfig><Enabled>true</Enabled><DurationSeconds>${stickySeconds}</DurationSeconds></TargetGroupStickinessConfig>`;
    const actions = `<Actions><member><Type>forward</Type><ForwardConfig>${groups}${sticky}</ForwardConfig></member></Actions>`;
    return `<RuleArn>${ruleOf(index)}</RuleArn><Priority>${index + 1}</Priority><IsDefault>false</IsDefault>${actions}`;
  }

  private ssm(action: string, { Name, Value, Overwrite }: any): [number, string] {
    const code = this.refusal(action, String(Name));
    if (code === silent) {
      return [0, silent];
    }
    if (code !== undefined) {
      const type = code === 'Throttling' ? 'ThrottlingException' : code;
      return [400, JSON.stringify({ __type: type, message: type })];
    }
    const [name, version] = String(Name).split(':') as [string, string?];
    const versions = this.parameters.get(name) ?? [];
    if (action === 'PutParameter') {
      if (versions.length > 0 && Overwrite !== true) {
        return [400, JSON.stringify({ __type: 'ParameterAlreadyExists' })];
      }
      versions.push(Value);
      this.parameters.set(name, versions);
      return [200, JSON.stringify({ Version: versions.length })];
    }
    const at = version === undefined ? versions.length : Number(version);
    return versions.length === 0
      ? [400, JSON.stringify({ __type: 'ParameterNotFound' })]
      : [200, JSON.stringify({ Parameter: { Value: versions[at - 1], Version: at } })];
  }
}

/** A code for an answer that never comes. */
export const silent = 'silent';

function refused(code: string): [number, string] {
  return code === silent
    ? [0, silent]
    : [
        code === 'AccessDenied' ? 403 : 400,
        `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${code}</Message></Error></ErrorResponse>`,
      ];
}

function list<Item>(name: string, items: readonly Item[], member: (item: Item) => string = String): string {
  return `<${name}>${items.map((item) => `<member>${member(item)}</member>`).join('')}</${name}>`;
}
