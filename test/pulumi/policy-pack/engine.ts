import * as server from '@pulumi/policy/server';
import * as messages from '@pulumi/pulumi/proto/analyzer_pb';
import { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import type { RulePoliciesOptions } from '../../../lib/pulumi/policy-pack';
import { rulePolicies } from '../../../lib/pulumi/policy-pack';

/** A resource of a stack. */
export interface TestResource {
  readonly props: any;
  /** @default - that of the object */
  readonly type?: string;
  /** What the cluster answers. @default - the same */
  readonly outputs?: any;
  /** Name of the provider. @default 'default_4_33_0' */
  readonly provider?: string;
  /** @default - that of the object */
  readonly name?: string;
}

/** A violation as Pulumi's own server answers it to the engine. */
export interface Violation {
  readonly policy: string;
  readonly level: 'advisory' | 'mandatory';
  readonly message: string;
  /** Name of the resource. @default - the stack */
  readonly resource: string;
  /** Whether a resource was refused before it is made, or the stack in the end. */
  readonly stage: 'resource' | 'stack';
}

const urnOf = (type: string, name: string) => `urn:pulumi:dev::e2e::${type}::${name}`;
const nameOf = ({ name, props }: TestResource): string =>
  name ?? [props.kind, props.metadata?.namespace, props.metadata?.name].filter(Boolean).join('/');

/** Evaluates a stack as the engine has it done: each resource before it is made, and then all of them. */
export async function violations(
  resources: readonly TestResource[],
  options?: RulePoliciesOptions,
): Promise<Violation[]> {
  const args = ['pack', '1.0.0', 'advisory', rulePolicies(options)] as const;
  // Its types leave out what the engine calls.
  const { makeAnalyzeRpcFun, makeAnalyzeStackRpcFun } = server as any;
  const [analyze, analyzeStack] = [makeAnalyzeRpcFun(...args), makeAnalyzeStackRpcFun(...args)];
  const found: Violation[] = [];
  for (const each of resources) {
    const diagnostics = await call(analyze, filled(new messages.AnalyzeRequest(), each, each.props));
    found.push(...diagnostics.map((one) => violationOf(one, nameOf(each), 'resource')));
  }
  const stack = new messages.AnalyzeStackRequest();
  stack.setResourcesList(
    resources.map((each) => filled(new messages.AnalyzerResource(), each, each.outputs ?? each.props)),
  );
  const inStack = await call(analyzeStack, stack);
  return [
    ...found,
    ...inStack.map((one) => violationOf(one, one.getUrn().split('::').at(-1) ?? '', 'stack')),
  ];
}

function filled<T extends messages.AnalyzeRequest | messages.AnalyzerResource>(
  request: T,
  resource: TestResource,
  props: any,
): T {
  const type = resource.type ?? `kubernetes:${props.apiVersion}:${props.kind}`;
  const provider = new messages.AnalyzerProviderResource();
  provider.setName(resource.provider ?? 'default_4_33_0');
  provider.setType('pulumi:providers:kubernetes');
  provider.setUrn(urnOf('pulumi:providers:kubernetes', provider.getName()));
  provider.setProperties(Struct.fromJavaScript({}));
  request.setType(type);
  request.setName(nameOf(resource));
  request.setUrn(urnOf(type, nameOf(resource)));
  request.setProperties(Struct.fromJavaScript(props));
  request.setOptions(new messages.AnalyzerResourceOptions());
  request.setProvider(provider);
  return request;
}

function call(method: any, request: unknown): Promise<messages.AnalyzeDiagnostic[]> {
  return new Promise((done, fail) => {
    method({ request }, (error: Error | null, reply: messages.AnalyzeResponse) =>
      error ? fail(error) : done(reply.getDiagnosticsList()),
    );
  });
}

function violationOf(
  diagnostic: messages.AnalyzeDiagnostic,
  resource: string,
  stage: Violation['stage'],
): Violation {
  const mandatory = diagnostic.getEnforcementlevel() === messages.EnforcementLevel.MANDATORY;
  return {
    policy: diagnostic.getPolicyname(),
    level: mandatory ? 'mandatory' : 'advisory',
    message: diagnostic.getMessage(),
    resource,
    stage,
  };
}
