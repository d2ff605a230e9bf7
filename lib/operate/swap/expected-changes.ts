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
 * A resource belongs to a slot whose name is a word of the resource's name. Of a program that does not say types, `create` and
 * `shift` may delete and replace nothing, `shift` may make nothing either, and `delete` may replace nothing.
 */
export function unexpectedChanges(
  changes: readonly ProgramChange[],
  meaning: DeploymentMeaning,
): readonly string[] {
  return changes.flatMap((change) => {
    const problem = change.type === '' ? problemByOp(change, meaning) : problemByType(change, meaning);
    return problem === undefined ? [] : [`${meaning.phase} would ${textOf(change)}: ${problem}.`];
  });
}

/** What a preview after a deployment would change of what holds weights, a sentence each: it has to be nothing. */
export function weightChanges(changes: readonly ProgramChange[]): readonly string[] {
  return changes
    .filter((change) => changesSomething(change) && holdsWeights(change))
    .map((change) => `A preview after the deployment would ${textOf(change)}, which holds weights.`);
}

/** An op that takes something away, even if it makes it anew. */
function removes({ op }: ProgramChange): boolean {
  return op === 'delete' || op === 'replace';
}

function changesSomething({ op }: ProgramChange): boolean {
  return op !== 'read' && op !== 'other';
}

function problemByOp(change: ProgramChange, { phase }: DeploymentMeaning): string | undefined {
  if (phase === 'delete') {
    return change.op === 'replace' ? 'nothing is to be replaced' : undefined;
  }
  if (removes(change)) {
    return 'nothing is to go yet';
  }
  return phase === 'shift' && change.op === 'create' ? 'only weights are to change' : undefined;
}

function problemByType(change: ProgramChange, meaning: DeploymentMeaning): string | undefined {
  const { phase } = meaning;
  if (phase === 'create') {
    return problemOfCreate(change, meaning);
  }
  if (phase === 'delete') {
    return problemOfDelete(change, meaning);
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

function problemOfCreate(change: ProgramChange, { old, new: fresh }: DeploymentMeaning): string | undefined {
  const isOld = isOf(change, old, fresh);
  if (removes(change) && isOld) {
    return `it belongs to ${old}, which has all traffic`;
  }
  if (!isCluster(change)) {
    return undefined;
  }
  if (removes(change)) {
    return 'no cluster is to go yet';
  }
  if (change.op === 'create' && !isOf(change, fresh, old)) {
    return `it is not the cluster of ${fresh}`;
  }
  return change.op === 'update' && isOld && change.properties?.includes('version')
    ? `${old} is to keep its version`
    : undefined;
}

function problemOfRestore(change: ProgramChange, { old, new: fresh }: DeploymentMeaning): string | undefined {
  if (isCluster(change) && (removes(change) || change.op === 'create')) {
    return 'no cluster is to be made or to go';
  }
  if (removes(change) && isOf(change, fresh, old)) {
    return `it belongs to ${fresh}, which has all traffic`;
  }
  return change.op === 'delete' ? 'only what is missing is to be made' : undefined;
}

function problemOfDelete(change: ProgramChange, meaning: DeploymentMeaning): string | undefined {
  const [stays, goes] = meaning.back ? [meaning.old, meaning.new] : [meaning.new, meaning.old];
  if (removes(change) && isOf(change, stays, goes)) {
    return `it belongs to ${stays}, which has all traffic`;
  }
  if (!isCluster(change)) {
    return undefined;
  }
  if (change.op === 'create' || change.op === 'replace') {
    return 'no cluster is to be made';
  }
  return change.op === 'delete' && !isOf(change, goes, stays)
    ? `it is not the cluster of ${goes}`
    : undefined;
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

function holdsWeights({ type }: ProgramChange): boolean {
  return weightTypes.some((pattern) => pattern.test(type));
}

/**
 * Whether the name of a slot is a word of the resource's own name: a URN has the stack's and the project's name before it. Of
 * `green` and `green-2` the longer name counts.
 */
function isOf(change: ProgramChange, slot: string, other: string): boolean {
  const name = ownName(change);
  const longer = other.length > slot.length && wordPattern(slot).test(other);
  return wordPattern(slot).test(longer ? name.replace(wordPattern(other), ' ') : name);
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
