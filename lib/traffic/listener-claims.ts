import * as pulumi from '@pulumi/pulumi';
import type { EdgeSource } from './edge';
import { listenerIdentity } from './edge';

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
