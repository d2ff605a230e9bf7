import type { FleetBench } from './pulumi-fleet';
import type { StateResource } from './pulumi-stack';

/** Everything that a program could have changed. */
export interface World {
  /** The engine's state: ids, inputs and outputs by URN. The stack's own outputs are not in it. */
  readonly state: Readonly<Record<string, object>>;
  /** Calls to AWS that change something. */
  readonly aws: readonly string[];
  /** Writes to the API servers, by the cluster. */
  readonly writes: Readonly<Record<string, number>>;
}

/** What is there now. */
export async function worldOf({ stack, aws, planes }: FleetBench): Promise<World> {
  return {
    state: Object.fromEntries((await stack.state()).filter(isNoStack).map(stateEntry)),
    aws: aws.proxy.changes().map(({ service, action }) => `${service} ${action}`),
    writes: Object.fromEntries(
      Object.entries(planes).map(([name, plane]) => [name, plane.audit({ user: 'admin' }).length]),
    ),
  };
}

function isNoStack({ type }: StateResource): boolean {
  return type !== 'pulumi:pulumi:Stack';
}

/**
 * A resource that waits for its deletion has its successor's URN. Arguments of a component are noted before anything of it is
 * refused, and are nowhere but in the state.
 */
function stateEntry({ urn, id, inputs, outputs, ...rest }: StateResource): [string, object] {
  const key = rest.delete === true ? `${urn} to be deleted` : urn;
  return [key, rest.custom === true ? { id, inputs, outputs } : {}];
}
