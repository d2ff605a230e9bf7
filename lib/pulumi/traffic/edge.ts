import * as pulumi from '@pulumi/pulumi';
import { applicationListenerArn } from '../../core/aws/identifiers';
import { opaque } from '../../core/validation/arguments';
import { across, either } from '../../core/validation/collections';
import { InvalidInput, Problems, isPlainObject, laterValue } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Schema } from '../../core/validation/schema';
import { anything } from '../../core/validation/values';
import { checkInput } from '../inputs';

/**
 * Where traffic comes in, as plain values: an HTTPS listener and who it is for the targets. `WeightedAlb` has
 * one in `ref`; a listener that was made elsewhere, or in another stack, is adopted by writing it down.
 *
 * @example
 * const edge: EdgeRef = {
 *   listenerArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2',
 *   securityGroupIds: ['sg-0123456789abcdef0'],
 * };
 */
export interface EdgeRef {
  /** ARN of the listener that holds the rules. */
  readonly listenerArn: pulumi.Input<string>;
  /**
   * The load balancer's security groups: the targets let them in. Of a list whose length only a deployment knows
   * (an output as a whole) the first is let in, which is enough: the load balancer has them all.
   */
  readonly securityGroupIds: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * An edge, something that knows one (`WeightedAlb`), or one that another stack exports
 * (`new pulumi.StackReference('…').requireOutput('edge')`).
 */
export type EdgeSource =
  | EdgeRef
  | {
      /** The edge. */
      readonly ref: EdgeRef;
    }
  | pulumi.OutputInstance<{
      /** ARN of the listener that rules are put on. */
      readonly listenerArn: string;
      /** The load balancer's security groups. */
      readonly securityGroupIds: string[];
    }>;

const someEdge =
  'a WeightedAlb, or { listenerArn, securityGroupIds } of a load balancer that was made elsewhere';

/** An edge, something that knows one, or an Output of one. A Promise has no fields that a rule could be made with. */
export const edgeSource: Schema<never> = either<never>(
  someEdge,
  { when: (value) => pulumi.Output.isInstance(value), schema: anything },
  {
    when: () => true,
    schema: across<{ readonly ref: unknown; readonly listenerArn: unknown }>(
      opaque(someEdge),
      (source, { mustBe }) => {
        const edge = 'ref' in source ? source.ref : source;
        if (pulumi.Output.isInstance(edge)) {
          return;
        }
        if (!isPlainObject(edge) || laterValue(edge) !== undefined) {
          mustBe(['ref'], '{ listenerArn, securityGroupIds } of a load balancer');
        } else if ((edge.listenerArn ?? undefined) === undefined) {
          const steps = 'ref' in source ? ['ref', 'listenerArn'] : ['listenerArn'];
          mustBe(steps, applicationListenerArn.allowed, edge.listenerArn);
        }
      },
    ) as Schema as Schema<never>,
  },
);

/** An edge as it was given; of one that is wrong nothing. */
export function soundEdge(source: EdgeSource | undefined): EdgeSource | undefined {
  return problemsOf(edgeSource, source).length === 0 ? source : undefined;
}

/** What is wrong with the listener of an edge, as far as it is plain. */
export function listenerProblems(edge: EdgeSource | undefined): readonly Problem[] {
  const problems = new Problems('edge');
  if (edge !== undefined) {
    checkInput(problems, 'edge.listenerArn', edgeRef(edge).listenerArn, applicationListenerArn);
  }
  return problems.all;
}

/**
 * The edge behind a source.
 *
 * @throws InvalidInput for what is none
 */
export function edgeRef(source: EdgeSource): EdgeRef {
  if (typeof source !== 'object' || source === null) {
    throw new InvalidInput('An edge', [{ path: 'edge', value: source, allowed: someEdge }]);
  }
  if (pulumi.Output.isInstance(source)) {
    return {
      listenerArn: source.apply(({ listenerArn }) => listenerArn),
      securityGroupIds: source.apply(({ securityGroupIds }) => securityGroupIds),
    };
  }
  return 'ref' in source ? source.ref : source;
}

/** What tells one listener of a program from another: its ARN where it is known, else the value that stands for it. */
function listenerIdentity(source: EdgeSource): string | object {
  return pulumi.Output.isInstance(source) ? source : edgeRef(source).listenerArn;
}

/** What a program has put on one listener so far. */
export interface ListenerClaims {
  /** Who has a priority, in words for a message. */
  readonly priorities: Map<number, string>;
  /** The security group rules that let the load balancer in, by the slot's security group (or its slot) and port. */
  readonly ingress: Map<unknown, Map<number, readonly pulumi.Resource[]>>;
}

const empty = (): ListenerClaims => ({ priorities: new Map(), ingress: new Map() });

// Claims live and die with the program's own objects: with the output that stands for a listener, or, where the
// listener is plain text, with the stack. So programs that run one after the other in a process share nothing.
const byListener = new WeakMap<object, ListenerClaims>();

const byStack = new WeakMap<object, Map<string, ListenerClaims>>();

/** The claims on an edge's listener; every component that names the same listener gets the same ones. */
export function claimsOn(edge: EdgeSource): ListenerClaims {
  const identity = listenerIdentity(edge);
  if (typeof identity === 'object') {
    return remembered(byListener, identity, empty);
  }
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) {
    return empty();
  }
  return remembered(
    remembered(byStack, stack, () => new Map<string, ListenerClaims>()),
    identity,
    empty,
  );
}

/** The value of a key, made and kept when it is asked for first. */
export function remembered<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  const made = make();
  map.set(key, made);
  return made;
}
