import type { SwapPhase } from './phases';
import type { ProgramChange } from './program';

/** What a deployment is for. */
export interface DeploymentMeaning {
  /** Phase that deploys: `create`, `shift`, `delete`, or `drain`, whose work is undone. */
  readonly phase: SwapPhase;
  /** Name of the old slot. */
  readonly old: string;
  /** Name of the new slot. */
  readonly new: string;
  /** Whether the swap goes back: then the new slot is the one that goes. @default false */
  readonly back?: boolean;
  /** Name of the fleet: its clusters are named FLEET-SLOT. @default - a slot is known by its name alone */
  readonly fleet?: string;
}

/**
 * What a preview shows that the phase does not mean, a sentence each: then nothing is deployed.
 *
 * - `create`: nothing of the old slot is deleted or replaced, its cluster's version stays, and no other cluster than that of the
 *   new slot is made.
 * - `shift`: no cluster is made, deleted or replaced.
 * - `drain`, on the way back: nothing of the new slot is deleted or replaced, nothing of the old one is deleted, and no cluster is
 *   touched so.
 * - `delete`: nothing of the slot that stays is deleted or replaced, and no cluster but that of the one that goes is touched so.
 *
 * A resource belongs to a slot where FLEET-SLOT is a part of the resource's name, or else the slot's name. What has the names of
 * both, such as the access of the hub `blue` to the cluster of `green`, goes with either of them, and so does what a hub has only
 * beside another one. Of a program that does not say types, `create` and `shift` may delete and replace nothing, `shift` may make
 * nothing either, and `delete` may replace nothing, and delete nothing that has the name of the slot that stays alone.
 */
export function unexpectedChanges(
  changes: readonly ProgramChange[],
  meaning: DeploymentMeaning,
): readonly string[] {
  return changes.flatMap((change) => {
    const problem =
      change.type === '' ? problemByOp(change, meaning, changes) : problemByType(change, meaning, changes);
    return problem === undefined ? [] : [`${meaning.phase} would ${textOf(change)}: ${problem}.`];
  });
}

/** What a preview after a deployment would change of what holds weights, a sentence each: it has to be nothing. */
export function weightChanges(changes: readonly ProgramChange[]): readonly string[] {
  return changes
    .filter((change) => changesSomething(change) && holdsWeights(change.type))
    .map((change) => `A preview after the deployment would ${textOf(change)}, which holds weights.`);
}

/** An op that takes something away, even if it makes it anew. */
function removes({ op }: ProgramChange): boolean {
  return op === 'delete' || op === 'replace';
}

function changesSomething({ op }: ProgramChange): boolean {
  return op !== 'read' && op !== 'other';
}

function problemByOp(
  change: ProgramChange,
  meaning: DeploymentMeaning,
  all: readonly ProgramChange[],
): string | undefined {
  const { phase } = meaning;
  if (phase === 'delete') {
    return change.op === 'replace' ? 'nothing is to be replaced' : problemOfDelete(change, meaning, all);
  }
  if (removes(change)) {
    return 'nothing is to go yet';
  }
  return phase === 'shift' && change.op === 'create' ? 'only weights are to change' : undefined;
}

function problemByType(
  change: ProgramChange,
  meaning: DeploymentMeaning,
  all: readonly ProgramChange[],
): string | undefined {
  const { phase } = meaning;
  if (phase === 'create') {
    return problemOfCreate(change, meaning);
  }
  if (phase === 'delete') {
    return problemOfDelete(change, meaning, all);
  }
  if (phase === 'drain' && meaning.back) {
    return problemOfRestore(change, meaning);
  }
  if (phase !== 'shift') {
    return `${phase} deploys nothing`;
  }
  return isCluster(change) && (removes(change) || change.op === 'create')
    ? 'no cluster is to be made or to go'
    : undefined;
}

function problemOfCreate(change: ProgramChange, meaning: DeploymentMeaning): string | undefined {
  const { old, new: fresh } = meaning;
  const isOld = isOf(change, old, fresh, meaning);
  if (removes(change) && isOld) {
    return `it belongs to ${old}, which has all traffic`;
  }
  if (!isCluster(change)) {
    return undefined;
  }
  if (removes(change)) {
    return 'no cluster is to go yet';
  }
  if (change.op === 'create' && !isOf(change, fresh, old, meaning)) {
    return `it is not the cluster of ${fresh}`;
  }
  return change.op === 'update' && isOld && change.properties?.includes('version')
    ? `${old} is to keep its version`
    : undefined;
}

function problemOfRestore(change: ProgramChange, meaning: DeploymentMeaning): string | undefined {
  const { old, new: fresh } = meaning;
  if (isCluster(change) && (removes(change) || change.op === 'create')) {
    return 'no cluster is to be made or to go';
  }
  if (removes(change) && isOf(change, fresh, old, meaning)) {
    return `it belongs to ${fresh}, which has all traffic`;
  }
  return change.op === 'delete' ? 'only what is missing is to be made' : undefined;
}

function problemOfDelete(
  change: ProgramChange,
  meaning: DeploymentMeaning,
  all: readonly ProgramChange[],
): string | undefined {
  const [stays, goes] = meaning.back ? [meaning.old, meaning.new] : [meaning.new, meaning.old];
  if (isOfTwoHubs(change)) {
    return undefined;
  }
  const isOfGoing = isOf(change, goes, stays, meaning);
  if (removes(change) && isOf(change, stays, goes, meaning) && (isCluster(change) || !isOfGoing)) {
    return `it belongs to ${stays}, which has all traffic`;
  }
  if (!isCluster(change)) {
    return undefined;
  }
  if (change.op === 'create' || change.op === 'replace') {
    return 'no cluster is to be made';
  }
  // Where one has the fleet's name, the slot of the same name of another fleet is none.
  const hasOther = all.some((each) => isCluster(each) && isNamed(each, goes, stays, meaning));
  return change.op === 'delete' && !(hasOther ? isNamed(change, goes, stays, meaning) : isOfGoing)
    ? `it is not the cluster of ${goes}`
    : undefined;
}

/** What `ArgoCdHub` has of a hub only beside another one: what that hub is to do, and the right of the one that writes to read. */
const ofTwoHubs: readonly { readonly type: RegExp; readonly name: RegExp }[] = [
  { type: /^kubernetes:core\/v1:ConfigMap$/, name: /-duty(-done)?$/ },
  { type: /^aws:eks\/accessPolicyAssociation:AccessPolicyAssociation$/, name: /-view$/ },
];

/** Whether it goes with the other hub, whatever hub it is of. */
function isOfTwoHubs(change: ProgramChange): boolean {
  return (
    change.op === 'delete' &&
    ofTwoHubs.some(({ type, name }) => type.test(change.type) && name.test(ownName(change)))
  );
}

/** `aws:eks/cluster:Cluster`, `eks:index:Cluster`, `AWS::EKS::Cluster`, `aws_eks_cluster`. */
function isCluster({ type }: ProgramChange): boolean {
  return /(^|[^a-z])eks([^a-z].*)?[^a-z]cluster$/i.test(type);
}

/** Weights of load balancers, of DNS records and of VPC Lattice, in the words of Pulumi, CloudFormation and Terraform. */
const weightTypes: readonly RegExp[] = [
  /(^|[^a-z])(lb|alb|elb|elbv2|elasticloadbalancingv2)([^a-z].*)?[^a-z]listener_?(rule)?$/i,
  /(^|[^a-z])route53([^a-z].*)?[^a-z]record(set)?$/i,
  /(^|[^a-z])vpc_?lattice([^a-z].*)?[^a-z](listener|listener_?rule|rule)$/i,
];

/** Whether resources of a type hold weights. */
export function holdsWeights(type: string): boolean {
  return weightTypes.some((pattern) => pattern.test(type));
}

/** Whether a resource belongs to a slot: by FLEET-SLOT, or by the name of the slot where that decides nothing. */
function isOf(
  change: ProgramChange,
  slot: string,
  other: string,
  meaning: Pick<DeploymentMeaning, 'fleet'>,
): boolean {
  const isOwn = isNamed(change, slot, other, meaning);
  return isOwn === isNamed(change, other, slot, meaning) ? hasWord(change, slot, other) : isOwn;
}

/** Whether FLEET-SLOT is a part of the resource's name. */
function isNamed(
  change: ProgramChange,
  slot: string,
  other: string,
  { fleet }: Pick<DeploymentMeaning, 'fleet'>,
): boolean {
  return fleet !== undefined && hasWord(change, `${fleet}-${slot}`, `${fleet}-${other}`);
}

/**
 * Whether a word is part of the resource's own name: a URN has the stack's and the project's name before it. Of `green` and
 * `green-2` the longer one counts.
 */
function hasWord(change: ProgramChange, word: string, other: string): boolean {
  const name = ownName(change);
  const longer = other.length > word.length && wordPattern(word).test(other);
  return wordPattern(word).test(longer ? name.replace(wordPattern(other), ' ') : name);
}

function ownName({ name }: ProgramChange): string {
  return name.startsWith('urn:') ? name.split('::').slice(3).join('::') : name;
}

function wordPattern(word: string): RegExp {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![a-z0-9])${escaped}(?![a-z0-9])`, 'i');
}

/** `replace aws:eks/cluster:Cluster apps-blue` */
function textOf({ op, type, name }: ProgramChange): string {
  return [op, type, name].filter((text) => text !== '').join(' ');
}
