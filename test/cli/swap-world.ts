import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { blueArn, greenArn, ruleArn } from '../shift/routers/arns';

/** What the program's script reads and writes. */
export interface World {
  readonly slots: Readonly<Record<string, string>>;
  readonly active?: string;
  readonly weights?: Readonly<Record<string, number>>;
}

const change = `
const { readFileSync, writeFileSync } = require("node:fs");
const [file] = process.argv.slice(1);
const asked = JSON.parse(readFileSync(0, "utf8"));
if (asked.ask === "preview") {
  const now = JSON.parse(readFileSync(file, "utf8"));
  const made = Object.keys(asked.configuration.slots).filter((slot) => !(slot in now.slots));
  const changes = made.map((slot) => ({ op: "create", type: "aws:eks/cluster:Cluster", name: "apps-" + slot }));
  console.log(JSON.stringify({ changes }));
} else {
  writeFileSync(file, JSON.stringify(asked.configuration));
}`;

/**
 * A program of one's own, for `sh`: its configuration is a file, and its clusters are the slots in there. Most of what a swap asks is
 * what there is, for which Node.js would take twenty times as long.
 */
export const fleetScript = `
asked=$(cat)
case $asked in *'"ask":"read"'*) exec cat "$1" ;; esac
printf %s "$asked" | "${process.execPath}" -e '${change}' "$1"
`;

/**
 * EKS, SSM and one listener rule on loopback: the clusters and the weights are those of the script's file, in each region those of
 * another one where it has one.
 */
export class SwapWorld {
  /** Versions of clusters by slot. @default - as the file says */
  public clusters: Readonly<Record<string, string>> | undefined;
  /** What the rule has, until the script writes other weights. @default - as the file says */
  private rule: { readonly weights: World['weights']; readonly file: string } | undefined;
  /** Begin of the names of parameters that may not be read. @default - all may */
  public denied: string | undefined;
  /** Parameters by name: versions of each. */
  public readonly parameters = new Map<string, string[]>();
  private readonly server: Server;

  /** @param regions files of regions of their own */
  public constructor(
    private readonly file: string,
    private readonly regions: Readonly<Record<string, string>> = {},
  ) {
    this.server = createServer((request, response) => {
      let body = '';
      request.on('data', (data: Buffer) => (body += data.toString()));
      request.on('end', () => {
        if (body.startsWith('Action=DescribeRules')) {
          response.writeHead(200, { 'content-type': 'text/xml' }).end(this.rules());
          return;
        }
        const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
        const [, region = ''] =
          /Credential=[^/]+\/\d+\/([\w-]+)\//.exec(request.headers.authorization ?? '') ?? [];
        const [status, answer] =
          target === undefined
            ? this.eks(request.url!.split('?')[0]!, this.regions[region] ?? this.file)
            : this.ssm(target, JSON.parse(body));
        const error = (answer as { readonly __type?: string }).__type;
        response
          .writeHead(status, {
            'content-type': 'application/json',
            ...(error !== undefined && { 'x-amzn-errortype': error }),
          })
          .end(JSON.stringify(answer));
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

  public get configuration(): World {
    return JSON.parse(readFileSync(this.file, 'utf8')) as World;
  }

  public set configuration(world: World) {
    writeFileSync(this.file, JSON.stringify(world));
    this.rule = undefined;
  }

  /** Somebody moves the traffic at the console. */
  public set live(weights: NonNullable<World['weights']>) {
    this.rule = { weights, file: readFileSync(this.file, 'utf8') };
  }

  private rules(): string {
    const file = readFileSync(this.file, 'utf8');
    const { weights = {} } = this.rule?.file === file ? this.rule : this.configuration;
    const groups = Object.entries({ [blueArn]: weights['blue'] ?? 0, [greenArn]: weights['green'] ?? 0 }).map(
      ([arn, weight]) => `<member><TargetGroupArn>${arn}</TargetGroupArn><Weight>${weight}</Weight></member>`,
    );
    const forward = `<Type>forward</Type><ForwardConfig><TargetGroups>${groups.join('')}</TargetGroups></ForwardConfig>`;
    const rule = `<RuleArn>${ruleArn}</RuleArn><Actions><member>${forward}</member></Actions>`;
    return `<DescribeRulesResponse><DescribeRulesResult><Rules><member>${rule}</member></Rules></DescribeRulesResult></DescribeRulesResponse>`;
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

  private eks(path: string, file: string): [number, object] {
    const slots = this.clusters ?? (JSON.parse(readFileSync(file, 'utf8')) as World).slots;
    if (path === '/clusters') {
      return [200, { clusters: Object.keys(slots).map((slot) => `apps-${slot}`) }];
    }
    const [, slot = ''] = /^\/clusters\/apps-(\w+)$/.exec(path) ?? [];
    const version = slots[slot];
    return version === undefined
      ? [404, { __type: 'ResourceNotFoundException', message: 'No cluster found' }]
      : [200, { cluster: { name: `apps-${slot}`, version, status: 'ACTIVE', tags: {} } }];
  }

  private ssm(action: string, asked: Readonly<Record<string, any>>): [number, object] {
    if (action === 'GetParametersByPath') {
      const found = [...this.parameters].filter(([each]) => each.startsWith(`${asked['Path'] as string}/`));
      return [200, { Parameters: found.map(([Name, values]) => ({ Name, Value: values.at(-1) })) }];
    }
    const name = asked['Name'] as string;
    if (action === 'PutParameter') {
      const versions = this.parameters.get(name) ?? [];
      if (versions.length > 0 && asked['Overwrite'] !== true) {
        return [400, { __type: 'ParameterAlreadyExists' }];
      }
      this.parameters.set(name, [...versions, asked['Value'] as string]);
      return [200, { Version: versions.length + 1 }];
    }
    if (this.denied !== undefined && name.startsWith(this.denied)) {
      return [400, { __type: 'AccessDeniedException', message: 'not authorized' }];
    }
    const [plain = '', version] = name.split(':');
    const versions = this.parameters.get(plain);
    const at = version === undefined ? (versions?.length ?? 0) : Number(version);
    return versions === undefined
      ? [400, { __type: 'ParameterNotFound' }]
      : [200, { Parameter: { Name: plain, Value: versions[at - 1], Version: at } }];
  }
}
