import * as pulumi from '@pulumi/pulumi';
import * as debuggable from '@pulumi/pulumi/runtime/debuggable';
import type { Debuggable, LocatesResources } from '../lib/pulumi/preview/sdk';
import { withoutPromiseTraces, withoutSourcePositions } from '../lib/pulumi/preview/sdk';

// No test looks at the stack traces that the SDK takes for each promise and resource, which are most of a registration's time.
withoutPromiseTraces(debuggable as unknown as Debuggable);
withoutSourcePositions(pulumi.Resource as unknown as LocatesResources);

/** One registration as the engine would have received it. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, any>;
  readonly urn: string;
  readonly parent: string;
  readonly custom: boolean;
  readonly provider: string;
  readonly dependencies: readonly string[];
  readonly deletedWith: string;
  readonly retainOnDelete: boolean;
  readonly protect: boolean;
  readonly ignoreChanges: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** What a program registered. */
export class Registrations {
  public readonly all: Registered[] = [];

  /** The registrations of one type, in order. */
  public ofType(type: string): Registered[] {
    return this.all.filter((each) => each.type === type);
  }

  /** The only registration with this type and, if given, name. */
  public one(type: string, name?: string): Registered {
    const found = this.ofType(type).filter((each) => name === undefined || each.name === name);
    if (found.length !== 1) {
      const there = this.all.map((each) => `${each.type} ${each.name}`).join('\n  ');
      throw new Error(`${found.length} of ${type} ${name ?? ''}; registered:\n  ${there}`);
    }
    return found[0]!;
  }
}

/** Outputs by type, merged over the inputs; a function sees the registration. */
export type Answers = Record<string, (args: pulumi.runtime.MockResourceArgs) => Record<string, unknown>>;

const clusterName = (name: string) => `${name}-cluster`;

/** What AWS and the remote component would answer, as far as our components read it. */
export const awsAnswers: Answers = {
  'eks:index:Cluster': ({ name, inputs }) => ({
    eksCluster: {
      name: inputs.name ?? clusterName(name),
      arn: `arn:aws:eks:eu-west-1:123456789012:cluster/${inputs.name ?? clusterName(name)}`,
      endpoint: `https://${name}.eks.example.com`,
      certificateAuthority: { data: Buffer.from('ca').toString('base64') },
      vpcConfig: { clusterSecurityGroupId: `sg-primary-${name}`, vpcId: inputs.vpcId },
    },
    kubeconfigJson: '{}',
    oidcIssuer: `oidc.example.com/${name}`,
    oidcProviderArn: `arn:aws:iam::123456789012:oidc-provider/oidc.example.com/${name}`,
    clusterSecurityGroupId: `sg-cluster-${name}`,
    nodeSecurityGroupId: `sg-node-${name}`,
    autoModeNodeRoleName: `auto-${name}`,
  }),
};

/**
 * Runs a Pulumi program on mocks and answers what it registered, once every registration is through.
 * The program's own error is thrown on.
 */
export async function register(
  program: () => unknown,
  options: {
    answers?: Answers;
    calls?: (args: pulumi.runtime.MockCallArgs) => Record<string, unknown>;
    preview?: boolean;
  } = {},
): Promise<Registrations> {
  const registrations = new Registrations();
  const answers = { ...awsAnswers, ...options.answers };
  await pulumi.runtime.setMocks(
    {
      newResource: (args) => ({
        id: args.custom === false ? undefined : `${args.name}-id`,
        state: {
          ...(args.type.startsWith('aws:')
            ? { arn: `arn:aws:mock:eu-west-1:123456789012:${args.type}/${args.name}`, name: args.name }
            : {}),
          ...args.inputs,
          ...answers[args.type]?.(args),
        },
      }),
      call: (args) =>
        options.calls?.(args) ?? {
          partition: 'aws',
          region: 'eu-west-1',
          accountId: '123456789012',
          ...args.inputs,
        },
    },
    'project',
    'stack',
    options.preview ?? false,
  );
  const monitor = pulumi.runtime.getMonitor() as any;
  // Hooks are registered with the engine; mocks know no engine.
  monitor.registerResourceHook ??= (_request: unknown, done: (error: unknown, reply: unknown) => void) =>
    done(null, {});
  const original = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request: any, done: (error: unknown, reply: any) => void) =>
    original(request, (error: unknown, reply: any) => {
      registrations.all.push({
        type: request.getType(),
        name: request.getName(),
        inputs: request.getObject()?.toJavaScript() ?? {},
        urn: reply?.getUrn() ?? '',
        parent: request.getParent(),
        custom: request.getCustom(),
        provider: request.getProvider(),
        dependencies: request.getDependenciesList(),
        deletedWith: request.getDeletedwith(),
        retainOnDelete: request.getRetainondelete() ?? false,
        protect: request.getProtect(),
        ignoreChanges: request.getIgnorechangesList(),
        deleteBeforeReplace: request.getDeletebeforereplace(),
      });
      done(error, reply);
    });
  await pulumi.runtime.runInPulumiStack(async () => {
    await program();
  });
  await (pulumi.runtime as any).waitForRPCs();
  return registrations;
}

/** Whether a registered input was marked secret, and its plain value. */
export function secret(input: any): { secret: boolean; value: any } {
  const signature = '4dabf18193072939515e22adb298388d';
  const wrapped =
    typeof input === 'object' && input !== null && input[signature] === '1b47061264138c4ac30d75fd1eb44270';
  return wrapped ? { secret: true, value: input.value } : { secret: false, value: input };
}
